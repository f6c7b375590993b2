import { describe, expect, it } from 'vitest'
import { colourOf, lightsOf } from './meter-drawing.ts'

describe('segments of a bar', () => {
  it('are one dB each from −60 to 0', () => {
    expect(lightsOf({ mean: -Infinity, peak: -Infinity })).toEqual({ lit: 0, peak: -1 })
    expect(lightsOf({ mean: -60, peak: -59.5 })).toEqual({ lit: 0, peak: 0 })
    expect(lightsOf({ mean: -20, peak: -19.5 })).toEqual({ lit: 40, peak: 40 })
    expect(lightsOf({ mean: 0, peak: 2 })).toEqual({ lit: 60, peak: 59 })
  })

  it('are green below −18 dB, amber below −6 and red above', () => {
    const colours = Array.from({ length: 60 }, (_, segment) => colourOf(segment))
    expect(colours.indexOf('--armt')).toBe(42)
    expect(colours.indexOf('--airt')).toBe(54)
    expect(new Set(colours.slice(0, 42))).toEqual(new Set(['--ok']))
    expect(new Set(colours.slice(42, 54))).toEqual(new Set(['--armt']))
    expect(new Set(colours.slice(54))).toEqual(new Set(['--airt']))
  })
})
