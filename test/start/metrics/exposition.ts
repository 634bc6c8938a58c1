// Reads Prometheus' text format (version 0.0.4) strictly: what does not follow it, or lacks its HELP or TYPE, is an error.

export type Sample = { name: string; labels: Record<string, string>; value: number }

export type Family = { name: string; help: string; type: string; samples: Sample[] }

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"`
// The library writes "Nan", which Prometheus reads as well.
const SAMPLE = new RegExp(
  String.raw`^(${NAME})(?:\{((?:${LABEL},?)*)\})? ([-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|Inf)|Na[Nn])$`
)

/** @throws if the text is not of the format */
export function readExposition(text: string): Family[] {
  const families: Family[] = []
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  for (const line of text.split('\n').filter(Boolean)) {
    const [, what, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? []
    const last = families.at(-1)
    if (what === 'HELP') {
      if (families.some(family => family.name === name)) throw new Error(`${name} occurs twice`)
      families.push({ name, help: rest, type: '', samples: [] })
    } else if (what === 'TYPE') {
      if (last?.name !== name || last.type !== '') throw new Error(`out of place: ${line}`)
      last.type = rest
    } else last?.samples.push(readSample(line, last))
  }
  return families
}

function readSample(line: string, family: Family): Sample {
  const [, name = '', labels = '', , , value = ''] = SAMPLE.exec(line) ?? []
  if (!name.startsWith(family.name)) throw new Error(`not a sample: ${line}`)
  const read = Array.from(labels.matchAll(new RegExp(LABEL, 'g')), ([, key = '', text = '']) => [key, text])
  return { name, labels: Object.fromEntries(read), value: Number(value.replace('Inf', 'Infinity')) }
}

/** A sample's name and labels as they are written, with the labels in order. */
export function keyOf({ name, labels }: Sample): string {
  const written = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort()
    .map(([key, value]) => `${key}="${value}"`)
  return written.length > 0 ? `${name}{${written.join(',')}}` : name
}
