// The SKU (contract 2.1), and the text that it is made of, as patterns: readers check by them, and documents publish them.

/** The longest SKU, in code points. */
export const MAX_SKU = 128

/** A code point that is no control character and no half of a surrogate pair; with the flag u, and without. */
export const CHARACTER = '(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])'

export const SKU_PATTERN = `^${CHARACTER}{1,${MAX_SKU}}$`
