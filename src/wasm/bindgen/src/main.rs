//! Makes a JavaScript module of a WebAssembly module: `h5kit-bindgen MODULE.wasm FOLDER NAME`.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        return Err("arguments: MODULE.wasm FOLDER NAME".into());
    };
    let mut bindgen = Bindgen::new();
    // Without the names of functions, and with the address of the module beside the script.
    bindgen.input_path(module).out_name(name).typescript(true).remove_name_section(true);
    // One that panicked is made anew.
    bindgen.reset_state_function(true);
    bindgen.omit_default_module_path(false).web(true)?.generate(folder)?;
    Ok(())
}
