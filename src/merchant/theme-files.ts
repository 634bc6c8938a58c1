// The files of a merchant's theme, checked at start: pictures, and a font of its own.
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import type { Key, ReportError } from '../transfer/option.ts'
import { shown } from './check-value.ts'
import { notOpened } from './json-file.ts'
import { NonEmpty } from './setting-types.ts'

/** An https address, or a file and its media type. */
export type Picture = { url: string } | { file: string; type: string }

/** `version` changes with the file, so that browsers may keep it for good. */
export type FontFile = { bytes: Buffer; version: string; isVariable: boolean }

const PICTURE_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg'
}

export const PictureSetting = (what: string) =>
  Type.Optional(
    NonEmpty(`a picture${what}: a .svg, .png, .webp or .jpg file, relative to this file, or an https address`)
  )

type Read<File> = (name: string | undefined, key: Key, folder: string, report: ReportError) => File | undefined

export const readPicture: Read<Picture> = (name, key, folder, report) => {
  if (name === undefined) return undefined
  if (URL.parse(name)?.protocol === 'https:') return { url: name }
  const file = resolve(folder, name)
  const type = PICTURE_TYPES[extname(file).toLowerCase()] ?? ''
  if (type === '' || !existsSync(file)) {
    const right = `give an https address, or an existing file of type ${Object.keys(PICTURE_TYPES).join(', ')}`
    report(key, `it is ${shown(name)}; ${right}`)
  }
  return { file, type }
}

/** A font that comes late is not used on the first page (`font-display: optional`). */
const MAX_KILOBYTES = 200

export const readFontFile: Read<FontFile> = (name, key, folder, report) => {
  if (name === undefined) return undefined
  try {
    const bytes = readFileSync(resolve(folder, name))
    const kilobytes = Math.ceil(bytes.length / 1000)
    if (bytes.toString('latin1', 0, 4) !== 'wOF2') {
      report(key, `${shown(name)} is not a font in WOFF 2; convert it, as "fonttools ttLib.woff2 compress" does`)
    } else if (kilobytes > MAX_KILOBYTES) {
      const right = `give one of at most ${MAX_KILOBYTES}, with the characters of your languages only (pyftsubset)`
      report(key, `${shown(name)} has ${kilobytes} kilobytes; ${right}`)
    } else if (Number.parseInt(bytes.toString('hex', 8, 12), 16) !== bytes.length) {
      report(key, `${shown(name)} is damaged: it is not as long as it states; copy or convert it again`)
    }
    return { bytes, version: hash('sha256', bytes).slice(0, 8), isVariable: isVariable(bytes) }
  } catch (error) {
    report(key, `it is ${shown(name)}: ${notOpened(error as Error)}; give a .woff2 file`)
    return undefined
  }
}

/** Tables as WOFF 2 numbers them: glyphs and their places, which are transformed unless they say otherwise; axes. */
const [GLYF, LOCA, FVAR, NAMED] = [10, 11, 47, 63]

/** Whether it has axes, and so all weights: without, browsers thicken the only one that it has. */
function isVariable(font: Buffer): boolean {
  const directory = font.subarray(48)
  let at = 0
  const skipNumber = () => {
    while ((directory[at++] ?? 0) > 127);
  }
  for (let left = font[13] ?? 0; left > 0; left--) {
    const flags = directory[at++] ?? 0
    const [tag, transform] = [flags & 63, flags >> 6]
    if (tag === FVAR) return true
    if (tag === NAMED) at += 4
    skipNumber()
    if (tag === GLYF || tag === LOCA ? transform !== 3 : transform !== 0) skipNumber()
  }
  return false
}

/** @param address where it is served */
export function fontFace({ isVariable }: FontFile, address: string): string {
  const weights = isVariable ? ';font-weight:1 999' : ''
  return `@font-face{font-family:own;src:url(${address});font-display:optional${weights}}\n`
}
