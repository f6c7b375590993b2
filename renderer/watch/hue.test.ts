import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hueOf, hues } from './hue.ts'

const css = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')
/** Values of a theme by their names. */
const valuesOf = (text: string, theme: 'dark' | 'light'): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(new RegExp(`\\.${theme} \\{([^}]*)\\}`, 'g'))].flatMap(([, block = '']) =>
      [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value] as const),
    ),
  )
/** Relative luminance, as WCAG has it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (one: string, other: string): number => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

it.each(['dark', 'light'] as const)('every colour of a name has 3:1 on every surface of the chat: %s', (theme) => {
  const surfaces = valuesOf(css('../styles/tokens.css'), theme)
  const colours = valuesOf(css('chat.css'), theme)
  for (let hue = 0; hue < hues; hue++)
    for (const surface of ['e0', 'e1', 'e2'])
      expect(contrast(colours.get(`hue-${hue}`)!, surfaces.get(surface)!), `${hue} on ${surface}`).toBeGreaterThan(3)
  expect(new Set(colours.values()).size).toBe(hues)
})

it('a person has the same colour always, and people have all of them', () => {
  expect(hueOf('kestrel')).toBe(hueOf('kestrel'))
  const seen = new Set(Array.from({ length: 200 }, (_, person) => hueOf(`person${person}`)))
  expect([...seen].sort()).toEqual(Array.from({ length: hues }, (_, hue) => hue))
  expect(() => hueOf('夜行猫')).not.toThrow()
})
