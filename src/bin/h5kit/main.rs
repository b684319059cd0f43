//! The command `h5kit`.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let out = std::io::stdout().lock();
    let mut out = std::io::BufWriter::new(out);
    match h5kit::File::open(&args[2]) {
        Ok(file) => {
            for line in h5kit::digest::Lines::of(&file) {
                use std::io::Write;
                let _ = writeln!(out, "{}", line.unwrap());
            }
        }
        Err(e) => {
            eprintln!("h5kit: {}: {e}", args[2]);
            std::process::exit(2);
        }
    }
}
