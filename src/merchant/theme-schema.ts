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
  Type.Optional(
    Type.String({
      pattern: '^#[0-9a-f]{6}$',
      description: `the colour of ${what}: six digits in lower case, such as "#0b57d0"`
    })
  )

const COLOURS = {
  accent: Colour('buttons and selected items'),
  background: Colour('the page'),
  surface: Colour('the cards on it'),
  text: Colour('text')
}

const LogoSetting = (when: string) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `a picture${when}: a path relative to this file, or an https address` })
  )

/** `look` in the merchant file. */
export const ThemeSchema = Section(
  {
    logo: LogoSetting(''),
    radius: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 24, description: 'the radius of corners: whole pixels from 0 to 24' })
    ),
    font: Choice('the font, from those of the device', fonts),
    headings: Choice('the style of headings', headingStyles),
    pictures: Choice('the shape of the space for pictures of products', pictureShapes),
    light: Type.Optional(Section(COLOURS, 'the colours in light mode: accent, background, surface, text')),
    dark: Type.Optional(
      Type.Union(
        [
          Section({ ...COLOURS, logo: LogoSetting(' for dark mode') }, 'the colours in dark mode, and its logo'),
          Type.Literal(false)
        ],
        { description: 'accent, background, surface, text and logo in dark mode, or false for none' }
      )
    )
  },
  'an object with logo, font, headings, pictures, radius, light and dark'
)
