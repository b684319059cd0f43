//! The C side: libhdf5 and the filter plugins, loaded at run time. All `unsafe` of this package is here.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, c_char, c_int, c_uint, c_void};
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};

/// What went wrong, in words.
pub type Result<T> = std::result::Result<T, String>;

/// `hid_t`.
type Id = i64;
type Filter = unsafe extern "C" fn(c_uint, usize, *const c_uint, usize, *mut usize, *mut *mut c_void) -> usize;

/// `H5Z_class2_t`.
#[repr(C)]
struct FilterClass {
    version: c_int,
    id: c_int,
    encoder_present: c_uint,
    decoder_present: c_uint,
    name: *const c_char,
    can_apply: *const c_void,
    set_local: *const c_void,
    filter: Option<Filter>,
}

/// `H5Z_CLASS_T_VERS`, the first field of an `H5Z_class2_t`.
const CLASS_VERSION: c_int = 1;
/// `H5Z_FLAG_REVERSE`: decode.
const REVERSE: c_uint = 0x0100;
const H5P_DEFAULT: Id = 0;
const H5S_ALL: Id = 0;
const H5F_ACC_RDONLY: c_uint = 0;

// SAFETY: these are the declarations of the C standard.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Asks the libraries for one thread each. To be called before any other thread runs and any library is loaded.
pub fn ask_for_one_thread() {
    for name in ["BLOSC_NTHREADS", "OMP_NUM_THREADS"] {
        // SAFETY: the process has one thread, so nothing reads the environment meanwhile.
        unsafe { std::env::set_var(name, "1") }
    }
}

/// libhdf5 and every filter that was found for it.
pub struct Hdf5 {
    library: Library,
    filters: BTreeMap<u16, Filter>,
    // What `filters` points into.
    loaded: Vec<Library>,
}

impl Hdf5 {
    /// Loads libhdf5, and the plugins `libh5*.so` of a folder.
    pub fn load(library: &Path, plugins: &Path) -> Result<Self> {
        let mut this =
            Self { library: open(library, RTLD_NOW | RTLD_GLOBAL)?, filters: BTreeMap::new(), loaded: vec![] };
        let open: Symbol<unsafe extern "C" fn() -> c_int> = this.symbol("H5open")?;
        // SAFETY: H5open takes nothing and may be called at any time.
        if unsafe { open() } < 0 {
            return Err("H5open failed".into());
        }
        // The classes of the built-in filters are no public symbols; where they are not exported, whole reads remain.
        for name in ["H5Z_DEFLATE", "H5Z_SHUFFLE", "H5Z_FLETCHER32", "H5Z_SZIP", "H5Z_NBIT", "H5Z_SCALEOFFSET"] {
            if let Ok(class) = this.symbol::<*const FilterClass>(name) {
                this.add(class.as_raw_ptr().cast());
            }
        }
        let mut names: Vec<_> = std::fs::read_dir(plugins)
            .map_err(|e| format!("HDF5_PLUGIN_PATH: {e}"))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.file_name().is_some_and(is_plugin))
            .collect();
        names.sort();
        for name in &names {
            this.load_plugin(name, library)?;
        }
        Ok(this)
    }

    /// Loads LZF, which is in a module of h5py, and registers it with libhdf5. The module needs the library of Python
    /// to be loaded; Python is not started.
    pub fn load_lzf(&mut self, python: &Path, module: &Path) -> Result<()> {
        self.loaded.push(open(python, RTLD_LAZY | RTLD_GLOBAL)?);
        let module = open(module, RTLD_LAZY | RTLD_LOCAL)?;
        // SAFETY: `int register_lzf(void)` and the filter function are declared so in lzf_filter.h of h5py.
        unsafe {
            let register: Symbol<unsafe extern "C" fn() -> c_int> = module.get(b"register_lzf").map_err(text)?;
            if register() < 0 {
                return Err("register_lzf failed".into());
            }
            self.filters.insert(32000, *module.get::<Filter>(b"lzf_filter").map_err(text)?);
        }
        self.loaded.push(module);
        Ok(())
    }

    /// The version of libhdf5.
    pub fn version(&self) -> Result<String> {
        type Version = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
        let version: Symbol<Version> = self.symbol("H5get_libversion")?;
        let (mut major, mut minor, mut release) = (0, 0, 0);
        // SAFETY: three pointers to unsigned integers are what the function fills.
        unsafe { version(&mut major, &mut minor, &mut release) };
        Ok(format!("{major}.{minor}.{release}"))
    }

    /// Whether a filter can be called by itself.
    pub fn has(&self, id: u16) -> bool {
        self.filters.contains_key(&id)
    }

    /// Whether libhdf5 can undo a filter, by a plugin if need be.
    pub fn reads(&self, id: u16) -> Result<bool> {
        let available: Symbol<unsafe extern "C" fn(c_int) -> c_int> = self.symbol("H5Zfilter_avail")?;
        // SAFETY: any number may be asked for.
        Ok(unsafe { available(id.into()) } > 0)
    }

    /// Undoes one filter on one chunk, and the time of that call alone.
    pub fn decode(&self, id: u16, values: &[u32], chunk: &[u8]) -> Result<(Memory, Duration)> {
        let filter = *self.filters.get(&id).ok_or("no such filter")?;
        let mut memory = Memory::copy_of(chunk)?;
        let mut room = chunk.len();
        let begin = Instant::now();
        // SAFETY: the filter gets client data values and a buffer of `room` bytes from malloc, as libhdf5 would give it.
        // It may free the buffer and put another in its place, of which `memory` takes possession either way.
        let length =
            unsafe { filter(REVERSE, values.len(), values.as_ptr(), chunk.len(), &mut room, &mut memory.start) };
        let time = begin.elapsed();
        if length == 0 || length > room {
            return Err(format!("filter {id} failed: {length} bytes in a buffer of {room}"));
        }
        memory.length = length;
        Ok((memory, time))
    }

    /// Opens a dataset of a file to be read once.
    pub fn open(&self, file: &Path, name: &str) -> Result<Open<'_>> {
        type OpenFile = unsafe extern "C" fn(*const c_char, c_uint, Id) -> Id;
        type OpenDataset = unsafe extern "C" fn(Id, *const c_char, Id) -> Id;
        type Of = unsafe extern "C" fn(Id) -> Id;
        type Size = unsafe extern "C" fn(Id) -> usize;
        let path = c_string(file.as_os_str())?;
        let name = c_string(name)?;
        let open_file: Symbol<OpenFile> = self.symbol("H5Fopen")?;
        let open_dataset: Symbol<OpenDataset> = self.symbol("H5Dopen2")?;
        let (type_of, space_of): (Symbol<Of>, Symbol<Of>) = (self.symbol("H5Dget_type")?, self.symbol("H5Dget_space")?);
        let (points, size): (Symbol<Of>, Symbol<Size>) =
            (self.symbol("H5Sget_simple_extent_npoints")?, self.symbol("H5Tget_size")?);
        // SAFETY: the texts end in zero and outlive the calls; each handle is open and of the kind that is asked for.
        unsafe {
            let file = self.handle(open_file(path.as_ptr(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fclose")?;
            let dataset = self.handle(open_dataset(file.id, name.as_ptr(), H5P_DEFAULT), "H5Dclose")?;
            let datatype = self.handle(type_of(dataset.id), "H5Tclose")?;
            let space = self.handle(space_of(dataset.id), "H5Sclose")?;
            let elements = usize::try_from(points(space.id)).map_err(|_| "the dataset has no extent")?;
            let bytes = elements.checked_mul(size(datatype.id)).ok_or("the dataset is too large")?;
            Ok(Open { hdf5: self, bytes, datatype, dataset, _file: file })
        }
    }

    fn handle(&self, id: Id, close: &str) -> Result<Handle> {
        let close: Symbol<unsafe extern "C" fn(Id) -> c_int> = self.symbol(close)?;
        // SAFETY: the symbol is copied out of a library that is never unloaded while `self` is there.
        if id < 0 { Err("libhdf5 cannot open it".into()) } else { Ok(Handle { id, close: *close }) }
    }

    /// A symbol of libhdf5; `T` must be its type in the headers of libhdf5.
    fn symbol<T>(&self, name: &str) -> Result<Symbol<T>> {
        // SAFETY: the types given in this file are those of the headers.
        unsafe { self.library.get(name.as_bytes()) }.map_err(text)
    }

    fn load_plugin(&mut self, plugin: &Path, hdf5: &Path) -> Result<()> {
        type Init = unsafe extern "C" fn(*const c_char) -> c_int;
        let library = open(plugin, RTLD_NOW | RTLD_LOCAL)?;
        let hdf5 = c_string(hdf5.as_os_str())?;
        // SAFETY: `init_filter`, where there is one, takes the path of a library in which it looks up libhdf5's
        // functions; `H5PLget_plugin_info` takes nothing and returns a pointer to a static class or null.
        let class = unsafe {
            if let Ok(init) = library.get::<Init>(b"init_filter")
                && init(hdf5.as_ptr()) < 0
            {
                return Err(format!("{}: init_filter failed", plugin.display()));
            }
            library.get::<unsafe extern "C" fn() -> *const FilterClass>(b"H5PLget_plugin_info").map_err(text)?()
        };
        self.add(class);
        self.loaded.push(library);
        Ok(())
    }

    /// Keeps the function of a filter that can decode.
    fn add(&mut self, class: *const FilterClass) {
        // SAFETY: the pointer is null or that of a static class of a loaded library. Classes of every version begin
        // with their version.
        let Some(class) = (unsafe { class.as_ref() }) else { return };
        if let (CLASS_VERSION, 1.., Ok(id), Some(filter)) =
            (class.version, class.decoder_present, u16::try_from(class.id), class.filter)
        {
            self.filters.insert(id, filter);
        }
    }
}

/// A dataset that libhdf5 has opened, in a file that was opened for it.
pub struct Open<'h> {
    hdf5: &'h Hdf5,
    bytes: usize,
    // Closed in this order.
    datatype: Handle,
    dataset: Handle,
    _file: Handle,
}

impl Open<'_> {
    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads all elements in the datatype of the file, and the time of that call alone.
    pub fn read(&self, into: &mut [u8]) -> Result<Duration> {
        type Read = unsafe extern "C" fn(Id, Id, Id, Id, Id, *mut c_void) -> c_int;
        if into.len() != self.bytes {
            return Err(format!("{} bytes do not fit {}", self.bytes, into.len()));
        }
        let read: Symbol<Read> = self.hdf5.symbol("H5Dread")?;
        let begin = Instant::now();
        // SAFETY: the buffer has the bytes of all elements in this datatype, which holds no pointers in the files that
        // are measured: they are numbers.
        let status =
            unsafe { read(self.dataset.id, self.datatype.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, into.as_mut_ptr().cast()) };
        let time = begin.elapsed();
        if status < 0 { Err("H5Dread failed".into()) } else { Ok(time) }
    }
}

/// An open handle of libhdf5.
struct Handle {
    id: Id,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is open and of the kind that this function closes.
        unsafe { (self.close)(self.id) };
    }
}

/// Memory from malloc.
pub struct Memory {
    start: *mut c_void,
    length: usize,
}

impl Memory {
    fn copy_of(bytes: &[u8]) -> Result<Self> {
        // SAFETY: malloc may be called with any size.
        let start = unsafe { malloc(bytes.len().max(1)) };
        if start.is_null() {
            return Err("out of memory".into());
        }
        // SAFETY: there is room for the bytes, and new memory overlaps with nothing.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast(), bytes.len()) };
        Ok(Self { start, length: bytes.len() })
    }

    pub fn bytes(&self) -> &[u8] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: `length` bytes were written, by `copy_of` or by a filter that returned their number.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the memory is from malloc, of this file or of a filter, or null, and nobody else frees it.
        unsafe { free(self.start) }
    }
}

/// Loads a library.
fn open(path: &Path, flags: c_int) -> Result<Library> {
    // SAFETY: the initialisers of these libraries run in a process with one thread; what they are is up to the caller
    // of the program, who named them.
    unsafe { Library::open(Some(path), flags) }.map_err(text)
}

fn is_plugin(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with("libh5") && name.ends_with(".so"))
}

fn c_string(text: impl AsRef<OsStr>) -> Result<CString> {
    CString::new(text.as_ref().as_bytes()).map_err(|_| "a zero byte in a name".into())
}

fn text(error: impl Display) -> String {
    error.to_string()
}
