// A merchant's own font: what is refused, and whether it has all weights. Logos are tested with merchant-file.ts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type FontFile, fontFace, readFontFile } from '../../src/merchant/theme-files.ts'

/** A font in WOFF 2 with these entries in its directory, which is all that is read of it. */
const fontOf = (...tables: number[][]) => {
  const header = Buffer.alloc(48)
  header.write('wOF2', 'latin1')
  header[13] = tables.length
  return stating(Buffer.from([...header, ...tables.flat()]))
}

const stating = (font: Buffer) => {
  font.writeUInt32BE(font.length, 8)
  return font
}

/** Entries: flags, the name of a table that has no number, its length, and that of what it was made into. */
const CMAP = [0, 0x86, 0x24]
const GLYF = [10, 0x83, 0x10, 0x81, 0x00]
const PLAIN_LOCA = [0b11000000 + 11, 0x40]
const NAMED = [63, 0x47, 0x4c, 0x41, 0x54, 0x12]
const PACKED_HMTX = [0b01000000 + 3, 0x30, 0x20]
const FVAR = [47, 0x30]

function read(t: Test, bytes: Uint8Array | undefined, name = 'own.woff2') {
  const folder = t.testdir({ folder: {} })
  if (bytes) writeFileSync(join(folder, 'own.woff2'), bytes)
  const mistakes: string[] = []
  const font = readFontFile(name, ['theme', 'fontFile'], folder, (key, problem) =>
    mistakes.push(`${key.join('.')}: ${problem}`)
  )
  return { font, mistakes }
}

t.test('a font is a file in WOFF 2 that a phone loads in time', async t => {
  const large = (length: number) => stating(Buffer.concat([fontOf(CMAP), Buffer.alloc(length - 51)]))
  const cases: [bytes: Uint8Array | undefined, mistake: RegExp | undefined, name?: string][] = [
    [fontOf(CMAP), undefined],
    [large(200_000), undefined],
    [large(200_001), /^theme\.fontFile: "own\.woff2" has 201 kilobytes; give one of at most 200, /],
    [
      fontOf(CMAP).subarray(0, 50),
      /"own\.woff2" is damaged: it is not as long as it states; copy or convert it again$/
    ],
    [Buffer.from('wOF2'), /is damaged: it is not as long as it states/],
    [Buffer.from('wOFF'), /^theme\.fontFile: "own\.woff2" is not a font in WOFF 2; convert it, /],
    [Buffer.alloc(0), /is not a font in WOFF 2/],
    [undefined, /^theme\.fontFile: it is "own\.woff2": there is no such file; give a \.woff2 file$/],
    [undefined, /it is "folder": it is a folder; give a \.woff2 file$/, 'folder']
  ]
  for (const [bytes, mistake, name] of cases)
    t.match(read(t, bytes, name).mistakes, mistake ? [mistake] : { length: 0 })
})

t.test('a font with axes has all weights; others are thickened by browsers', async t => {
  const cases: [tables: number[][], isVariable: boolean][] = [
    [[CMAP, GLYF, PLAIN_LOCA, NAMED, PACKED_HMTX], false],
    [[CMAP, GLYF, PLAIN_LOCA, NAMED, PACKED_HMTX, FVAR], true],
    // A length that happens to be the number of that table is none.
    [[[0, 47], CMAP], false],
    // Cut off.
    [[CMAP, [0, 0xff]], false],
    [[CMAP, []], false]
  ]
  for (const [tables, isVariable] of cases) t.equal(read(t, fontOf(...tables)).font?.isVariable, isVariable)
  const face = (isVariable: boolean) => fontFace({ isVariable } as FontFile, '/shop/font?1')
  t.equal(face(false), '@font-face{font-family:own;src:url(/shop/font?1);font-display:optional}\n')
  t.match(face(true), ';font-weight:1 999}')
})

t.test('its version changes with it', async t => {
  const versions = [[CMAP], [CMAP], [FVAR]].map(tables => read(t, fontOf(...tables)).font?.version)
  t.match(versions[0], /^[0-9a-f]{8}$/)
  t.equal(versions[0], versions[1])
  t.not(versions[0], versions[2])
})
