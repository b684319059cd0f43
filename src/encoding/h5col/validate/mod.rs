//! The rules of the convention, and which are broken.
