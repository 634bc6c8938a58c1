// Reads Prometheus' text format (version 0.0.4) strictly: what does not follow it, or lacks its HELP or TYPE, is an error.

export type Sample = { name: string; labels: Record<string, string>; value: number }

export type Family = { name: string; help: string; type: string; samples: Sample[] }

/** The ends that the samples of a family may have after its name. */
const SUFFIXES: Record<string, string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count']
}

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
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, what, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? []
    const last = families.at(-1)
    if (what === 'HELP') {
      if (families.some(family => family.name === name)) throw new Error(`${name} occurs twice`)
      families.push({ name, help: rest, type: '', samples: [] })
    } else if (what === 'TYPE') {
      if (last?.name !== name || last.type !== '' || !(rest in SUFFIXES)) throw new Error(`out of place: ${line}`)
      last.type = rest
    } else last?.samples.push(readSample(line, last))
  }
  for (const family of families) {
    const keys = family.samples.map(keyOf)
    if (new Set(keys).size < keys.length) throw new Error(`${family.name}: the same labels twice`)
    if (family.type === 'histogram') checkBuckets(family)
  }
  return families
}

function readSample(line: string, family: Family): Sample {
  const [, name = '', labels = '', , , value = ''] = SAMPLE.exec(line) ?? []
  if (!SUFFIXES[family.type]?.some(suffix => name === family.name + suffix)) throw new Error(`not a sample: ${line}`)
  const read = Array.from(labels.matchAll(new RegExp(LABEL, 'g')), ([, key = '', text = '']) => [key, text])
  return { name, labels: Object.fromEntries(read), value: Number(value.replace('Inf', 'Infinity')) }
}

/** The buckets of each histogram grow, and the last one has everything. */
function checkBuckets({ name, samples }: Family): void {
  const all = new Map<string, Sample[]>()
  for (const { labels, ...sample } of samples) {
    const { le = '', ...rest } = labels
    if ((sample.name === `${name}_bucket`) !== (le !== '')) throw new Error(`${name}: le is out of place`)
    const key = JSON.stringify(rest)
    all.set(key, [...(all.get(key) ?? []), { ...sample, labels: { le } }])
  }
  for (const [key, ofOne] of all) {
    const buckets = ofOne.filter(sample => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')))
    const grows = (list: number[]) => list.every((value, i) => i === 0 || value >= Number(list[i - 1]))
    const count = ofOne.find(sample => sample.name === `${name}_count`)?.value
    if (!grows(bounds) || !grows(buckets.map(({ value }) => value)))
      throw new Error(`${name}${key}: buckets do not grow`)
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count) throw new Error(`${name}${key}: not all counted`)
  }
}

/** A sample's name and labels as they are written, with the labels in order. */
export function keyOf({ name, labels }: Sample): string {
  const written = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort()
    .map(([key, value]) => `${key}="${value}"`)
  return written.length > 0 ? `${name}{${written.join(',')}}` : name
}
