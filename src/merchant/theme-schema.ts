// The part of the merchant file's schema about how the pages look.
import { Type } from '@sinclair/typebox'
import { Section } from './setting-types.ts'
import { fonts, headingStyles, pictureShapes } from './theme.ts'

/** One of these words; the first is the default. */
const Choice = <Word extends string>(what: string, words: Word[]) =>
  Type.Optional(
    Type.Union(
      words.map(word => Type.Literal(word)),
      { default: words[0], description: `${what}: ${words.map(word => `"${word}"`).join(', ')}` }
    )
  )

const Colour = (what: string) =>
  Type.Optional(Type.String({ pattern: '^#[0-9a-f]{6}$', description: `the colour of ${what}, such as "#0b57d0"` }))

const Scheme = (when: string) => {
  const colours = {
    accent: Colour('buttons and selected items'),
    background: Colour('the page'),
    surface: Colour('the cards on it'),
    text: Colour('text')
  }
  return Type.Optional(Section(colours, `the colours ${when}: accent, background, surface, text`))
}

/** `look` in the merchant file. */
export const ThemeSchema = Section(
  {
    logo: Type.Optional(
      Type.String({ minLength: 1, description: 'a picture: a path relative to this file, or an https address' })
    ),
    radius: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 24, description: 'the radius of corners: whole pixels from 0 to 24' })
    ),
    font: Choice('the font, from those of the device', fonts),
    headings: Choice('the style of headings', headingStyles),
    pictures: Choice('the shape of the space for pictures of products', pictureShapes),
    light: Scheme('in light mode'),
    dark: Scheme('in dark mode')
  },
  'an object with logo, font, headings, pictures, radius, light and dark'
)
