; Installs setsight for the user who calls it, without asking for an administrator: the program, an entry in the
; start menu, and "Open with" for photos. Everything goes again with its uninstaller, but for what the user keeps.
Target amd64-unicode
SetCompressor /SOLID lzma
!include MUI2.nsh

!define HERE "Software\Microsoft\Windows\CurrentVersion\Uninstall\setsight"
!define OPENS "Software\Classes\Applications\setsight.exe"

Name "setsight"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\setsight"
InstallDirRegKey HKCU "${HERE}" InstallLocation
ManifestDPIAware true

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\setsight.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS app
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE German

!macro OpensKind KIND
    WriteRegStr HKCU "${OPENS}\SupportedTypes" ".${KIND}" ""
!macroend

Section
    SetOutPath "$INSTDIR"
    File "${FILES}/*"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    CreateShortcut "$SMPROGRAMS\setsight.lnk" "$INSTDIR\setsight.exe" app
    WriteRegStr HKCU "${OPENS}" FriendlyAppName setsight
    WriteRegStr HKCU "${OPENS}\shell\open\command" "" '"$INSTDIR\setsight.exe" app "%1"'
    !insertmacro OpensKind jpg
    !insertmacro OpensKind jpeg
    !insertmacro OpensKind png
    !insertmacro OpensKind heic
    !insertmacro OpensKind heif
    !insertmacro OpensKind webp
    !insertmacro OpensKind bmp
    !insertmacro OpensKind tif
    !insertmacro OpensKind tiff
    WriteRegStr HKCU "${HERE}" DisplayName setsight
    WriteRegStr HKCU "${HERE}" DisplayVersion "${VERSION}"
    WriteRegStr HKCU "${HERE}" DisplayIcon "$INSTDIR\setsight.exe"
    WriteRegStr HKCU "${HERE}" Publisher "The setsight contributors"
    WriteRegStr HKCU "${HERE}" InstallLocation "$INSTDIR"
    WriteRegStr HKCU "${HERE}" UninstallString '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKCU "${HERE}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKCU "${HERE}" NoModify 1
    WriteRegDWORD HKCU "${HERE}" NoRepair 1
SectionEnd

Section Uninstall
    ; By name: the user may have chosen a folder that holds other things.
    Delete "$INSTDIR\setsight.exe"
    Delete "$INSTDIR\setsight-camera.exe"
    Delete "$INSTDIR\README.txt"
    Delete "$INSTDIR\LICENSE-MIT.txt"
    Delete "$INSTDIR\LICENSE-APACHE.txt"
    Delete "$INSTDIR\NOTICE.txt"
    Delete "$INSTDIR\third-party.txt"
    Delete "$INSTDIR\2-fifteen-on-felt.jpg"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
    Delete "$SMPROGRAMS\setsight.lnk"
    DeleteRegKey HKCU "${OPENS}"
    DeleteRegKey HKCU "${HERE}"
SectionEnd
