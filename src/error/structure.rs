use std::fmt;

macro_rules! structures {
    ($($(#[$doc:meta])* $variant:ident $name:literal $section:literal;)*) => {
        /// A structure of the file format.
        ///
        /// `Display` gives the specification's name, [`section`](Self::section) its number there
        /// (HDF5 File Format Specification, version 3.0).
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Structure {
            $($(#[$doc])* #[doc = concat!("The ", $name, " (", $section, ").")] $variant,)*
        }

        impl Structure {
            /// Every structure, in the specification's order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The specification's name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The section of the specification that defines it.
            #[must_use]
            pub fn section(self) -> &'static str {
                match self { $(Self::$variant => $section,)* }
            }
        }
    };
}

structures! {
    Superblock "superblock" "II.A";
    DriverInfo "driver information block" "II.B";
    BTreeV1 "version 1 B-tree node" "III.A.1";
    BTreeV2Header "version 2 B-tree header" "III.A.2";
    BTreeV2Internal "version 2 B-tree internal node" "III.A.2";
    BTreeV2Leaf "version 2 B-tree leaf node" "III.A.2";
    SymbolTableNode "symbol table node" "III.B";
    SymbolTableEntry "symbol table entry" "III.C";
    LocalHeap "local heap" "III.D";
    GlobalHeap "global heap collection" "III.E";
    VirtualMapping "global heap block of virtual dataset mappings" "III.F";
    FractalHeap "fractal heap header" "III.G";
    FractalHeapDirect "fractal heap direct block" "III.G";
    FractalHeapIndirect "fractal heap indirect block" "III.G";
    FractalHeapHuge "fractal heap huge object" "III.G";
    HeapId "fractal heap ID" "III.G";
    FreeSpaceManager "free-space manager header" "III.H";
    FreeSpaceSections "free-space section list" "III.H";
    SharedMessageTable "shared object header message table" "III.I";
    SharedMessageList "shared message record list" "III.I";
    ObjectHeader "object header" "IV.A.1";
    ObjectHeaderContinuation "object header continuation block" "IV.A.1";
    SharedMessage "shared message" "IV.A.1";
    Dataspace "dataspace message" "IV.A.2.b";
    LinkInfo "link info message" "IV.A.2.c";
    Datatype "datatype message" "IV.A.2.d";
    FillValueOld "fill value (old) message" "IV.A.2.e";
    FillValue "fill value message" "IV.A.2.f";
    Link "link message" "IV.A.2.g";
    ExternalDataFiles "external data files message" "IV.A.2.h";
    DataLayout "data layout message" "IV.A.2.i";
    GroupInfo "group info message" "IV.A.2.k";
    FilterPipeline "filter pipeline message" "IV.A.2.l";
    Attribute "attribute message" "IV.A.2.m";
    Comment "object comment message" "IV.A.2.n";
    ModificationTimeOld "object modification time (old) message" "IV.A.2.o";
    SharedMessageTableMessage "shared message table message" "IV.A.2.p";
    Continuation "object header continuation message" "IV.A.2.q";
    SymbolTable "symbol table message" "IV.A.2.r";
    ModificationTime "object modification time message" "IV.A.2.s";
    BTreeK "B-tree 'K' values message" "IV.A.2.t";
    DriverInfoMessage "driver info message" "IV.A.2.u";
    AttributeInfo "attribute info message" "IV.A.2.v";
    ReferenceCount "object reference count message" "IV.A.2.w";
    FileSpaceInfo "file space info message" "IV.A.2.x";
    CacheImageMessage "metadata cache image message" "IV.A.2.y";
    CacheImage "metadata cache image block" "IV.A.2.y";
    FixedArray "fixed array header" "VII.C";
    FixedArrayBlock "fixed array data block" "VII.C";
    ExtensibleArray "extensible array header" "VII.D";
    ExtensibleArrayIndex "extensible array index block" "VII.D";
    ExtensibleArraySecondary "extensible array secondary block" "VII.D";
    ExtensibleArrayBlock "extensible array data block" "VII.D";
    Selection "dataspace selection" "VIII.A";
    Reference "reference" "VIII.B";
    RawData "raw data" "IV.A.2.i";
    Chunk "chunk" "IV.A.2.i";
    Element "element" "IV.A.2.d";
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
