import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { ObsStatistics } from '../../../contract/rpc/obs.ts'
import { mounted } from '../../testing/mounted.ts'
import ObsFigures from './obs-figures.vue'
import { spoken } from '../../format/languages.ts'
import { obsWords } from './words.ts'

const obsEn = spoken(obsWords, 'en')

const { figure, poor, from } = obsEn.obs
const statistics: ObsStatistics = {
  from: 'OBS',
  at: 0,
  kbps: 6012,
  fps: 29.97,
  cpu: 12.34,
  congestion: 0.5,
  frames: 10_000,
  dropped: 100,
  skipped: 1234,
  lagged: 7,
}
const show = (change: Partial<ObsStatistics> = {}, streaming = true) =>
  mounted(ObsFigures, { props: { statistics: { ...statistics, ...change }, streaming } })
const rows = () =>
  [...document.querySelectorAll('dl > div')].map((row) => [...row.children].map((part) => part.textContent?.trim()))

describe('the figures of OBS', () => {
  it('have their unit, share and origin while it streams', async () => {
    await show()
    expect(rows()).toEqual([
      [figure.kbps, expect.stringMatching(/^6,012 /), from.bytes],
      [figure.dropped, '100 · 1.0 %', from.obs],
      [figure.congestion, '50 %', from.obs],
      [figure.fps, expect.stringMatching(/^30\.0 /), from.obs],
      [figure.skipped, '1,234', from.obs],
      [figure.lagged, '7', from.obs],
      [figure.cpu, '12.3 %', from.obs],
    ])
    for (const remedy of Object.values(poor)) expect(page.getByText(remedy).query()).toBeNull()
  })

  it('are frame rate and processor alone while it does not stream', async () => {
    await show({ dropped: 5000, cpu: 80 }, false)
    expect(rows().map(([name]) => name)).toEqual([figure.fps, figure.cpu])
    expect(page.getByText(poor.dropped).query()).toBeNull()
    expect(page.getByText(poor.cpu).query()).toBeNull()
  })

  it('are dashes where OBS does not tell', async () => {
    await show({
      kbps: null,
      fps: null,
      cpu: null,
      congestion: null,
      frames: null,
      dropped: null,
      skipped: null,
      lagged: null,
    })
    expect(rows().map(([, value]) => value)).toEqual(Array(7).fill('–'))
  })

  it.each([
    ['more than one of a hundred frames is dropped', { dropped: 101 }, poor.dropped],
    ['more than half is congested', { congestion: 0.51 }, poor.congestion],
    ['more than 80 % of the processor is used', { cpu: 80.1 }, poor.cpu],
  ] as const)('say what to do when %s', async (_case, change, remedy) => {
    await show(change)
    await expect.element(page.getByText(remedy)).toBeVisible()
    expect(document.querySelectorAll('dd svg')).toHaveLength(1)
  })

  it('say once what helps against two of them', async () => {
    await show({ dropped: 5000, congestion: 1 })
    expect(page.getByText(poor.dropped).elements()).toHaveLength(1)
  })
})
