//! Prints the constants of the classical reader, fitted on a folder of labelled crops or of such folders:
//! `cargo run --example fit-classical -- CROPS`.

fn main() -> anyhow::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        anyhow::bail!("no folder of crops given; call it as fit-classical CROPS");
    };
    print!("{}", setsight_train::parts::classical::fit(folder.as_ref())?);
    Ok(())
}
