// Arbitrary text for property tests: any code unit, lone surrogates included, with a bias towards characters that trip
// up encodings.
import fc from 'fast-check'

const unit = fc.oneof(
  fc.constantFrom(...' +%&=[]_"\'\\<>;?#\0\t\n\x7f\x85\ufeff'),
  fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
  fc.integer({ min: 0x10000, max: 0x10ffff }).map(code => String.fromCodePoint(code))
)

export function anyText(length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit, ...length })
}
