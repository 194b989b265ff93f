//! The Python package `bsdb`: tables read by key, in batches from Arrow into Arrow.

mod arrow;
mod build;
mod capsule;
mod convert;
mod error;
mod input;
mod lookup;
mod read;
mod rows;
mod signals;
mod stream;
mod table;
mod take;

use pyo3::prelude::*;

#[pymodule]
fn _bsdb(module: &Bound<PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("BsdbError", py.get_type::<error::BsdbError>())?;
    module.add("CorruptError", py.get_type::<error::CorruptError>())?;
    module.add("UnsupportedError", py.get_type::<error::UnsupportedError>())?;
    module.add("NotFoundError", py.get_type::<error::NotFoundError>())?;
    module.add_class::<table::PyTable>()?;
    module.add_class::<rows::Batches>()?;
    module.add_class::<rows::Rows>()?;
    module.add_function(wrap_pyfunction!(table::open, module)?)?;
    module.add_function(wrap_pyfunction!(table::follow, module)?)
}
