// For tap: which files of src/ a test file is counted as covering. Counting takes a tenth of a test's time, so those are not
// counted that reach no line that others do not reach.
const UNCOUNTED = /^test\/(deploy|faults|fuzz|stories)\//

/** @returns null for none, an empty list for all */
module.exports = file => (UNCOUNTED.test(file) ? null : [])
