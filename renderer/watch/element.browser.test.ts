import { expect, it } from 'vitest'
import { element, icon } from './element.ts'

it('makes an element with its attributes and its children, whose texts are no markup', () => {
  const child = document.createElement('b')
  const made = element('p', { class: 'line', dir: 'ltr', title: '<i>' }, 'a <i>b</i> ', child)
  expect([made.tagName, made.className, made.dir, made.title]).toEqual(['P', 'line', 'ltr', '<i>'])
  expect([...made.childNodes].map(({ nodeName }) => nodeName)).toEqual(['#text', 'B'])
  expect(made.textContent).toBe('a <i>b</i> ')
})

it('draws an icon that a screen reader does not see, in the size that is asked for', () => {
  const sizes = (svg: SVGSVGElement) => [svg.getAttribute('width'), svg.getAttribute('height')]
  const play = icon('play')
  expect([play.getAttribute('aria-hidden'), play.getAttribute('viewBox')]).toEqual(['true', '0 0 24 24'])
  expect([sizes(play), sizes(icon('down', 16))]).toEqual([
    ['20', '20'],
    ['16', '16'],
  ])
  const drawn = (['play', 'pause', 'sound', 'silence', 'full'] as const).map((name) =>
    icon(name).querySelector('path')?.getAttribute('d'),
  )
  expect(new Set(drawn).size).toBe(5)
})
