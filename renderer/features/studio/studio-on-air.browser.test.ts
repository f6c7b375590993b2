import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { spoken, type Language } from '../../format/languages.ts'
import { beyond, cut } from '../../testing/cut-texts.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { makeTargets } from '../../testing/fake-targets.ts'
import { began, figures, tallies, tally } from '../../testing/mounted.ts'
import { onAir, openOnAir } from '../../testing/mounted-studio.ts'
import { obsWords } from '../obs/words.ts'
import { logWords } from './words-log.ts'
import { healthWords } from './words-health.ts'
import { studioWords } from './words.ts'

const { onAir: words, push } = spoken(studioWords, 'en')
const { obs } = spoken(obsWords, 'en')
const { log } = spoken(logWords, 'en')
const { goLive } = spoken(healthWords, 'en')
const region = (name: string) => page.getByRole('region', { name, exact: true })
const line = (name: string) => region(name).getByRole('button', { expanded: false })
const isShown = (selector: string) => () => document.querySelector(selector)?.checkVisibility() ?? false
const body = () => document.querySelector('.body')!

describe('the Studio on air in its sizes', () => {
  it.each(
    (
      [
        [1440, 900],
        [1280, 800],
        [1120, 700],
      ] as const
    ).flatMap(([width, height]) =>
      (['en', 'zh'] as const).flatMap((language) =>
        (['none', 'sending'] as const).map((scene) => [width, height, language, scene] as const),
      ),
    ),
  )('is whole without scrolling at %i x %i, in %s, with targets: %s', async (width, height, language, scene) => {
    await page.viewport(width, height)
    onTestFinished(() => page.viewport(1440, 900))
    await openOnAir({ language: language as Language, answers: { 'targets.list': () => makeTargets(scene, began) } })
    await expect.poll(() => document.querySelector('[data-health]')?.getAttribute('data-health')).toBe('good')
    await expect.poll(isShown('[data-part=targets] button')).toBe(true)
    expect(cut()).toEqual([])
    expect(beyond()).toEqual([])
    expect(body().scrollHeight - body().clientHeight).toBeLessThanOrEqual(1)
    const [card, picture] = ['.get-on-air', '.preview'].map((one) =>
      document.querySelector(one)!.getBoundingClientRect(),
    )
    // No hole: both end on the same line.
    expect(Math.abs(card!.bottom - picture!.bottom)).toBeLessThanOrEqual(1)
  })
})

describe('the lines of the Studio on air', () => {
  it('have encoder, OBS and chat behind one of them, which stays as it was left', async () => {
    const memory = new Map<string, string>()
    await openOnAir({ memory })
    await expect.element(line(words.encoder)).toBeVisible()
    expect(region(push.title).query()).toBeNull()
    await line(words.encoder).click()
    await expect.element(region(push.title)).toBeVisible()
    await expect.element(region(obs.title)).toBeVisible()
    expect(memory.get('sidestage.studio-open.encoder')).toBe('1')
  })

  it('are open where they were left open, and fold', async () => {
    await openOnAir({ memory: new Map([['sidestage.studio-open.encoder', '1']]) })
    await expect.element(region(push.title)).toBeVisible()
    await region(words.encoder).getByRole('button', { expanded: true }).first().click()
    expect(region(push.title).query()).toBeNull()
  })

  it('say what OBS does, and that it does not answer', async () => {
    const { tell } = await openOnAir()
    await tell({ type: 'obs', obs: { ...makeObs('live', began), target: { profileId: 'local', cid: onAir.cid } } })
    await expect.element(region(words.encoder)).toMatchTextContent(obs.here)
    await tell({ type: 'obs', obs: makeObs('absent', began) })
    await expect.element(region(words.encoder)).toMatchTextContent(words.obsAway)
  })

  it('say that the key has expired', async () => {
    await openOnAir({ keyLeft: -1_000 })
    await expect.element(region(words.encoder)).toMatchTextContent(words.keyExpired)
  })

  it('open at a fault of the check, fold again, and open at the next one', async () => {
    const { tell } = await openOnAir()
    const check = isShown('[data-figure=check]')
    await expect.element(region(goLive.title)).toBeVisible()
    expect(check()).toBe(false)
    await tell(figures(onAir, { kbps: 6_012, fps: 60, keyFrameGap: 12_000 }))
    await expect.poll(check).toBe(true)
    await region(goLive.title).getByRole('button', { expanded: true }).click()
    await expect.poll(check).toBe(false)
    await tell(figures(onAir, { kbps: 6_013, fps: 60, keyFrameGap: 12_000 }))
    expect(check()).toBe(false)
    await tell(figures(onAir, { kbps: 6_012, fps: 60, keyFrameGap: 2_000 }))
    await tell(figures(onAir, { kbps: 6_012, fps: 60, keyFrameGap: 12_000 }))
    await expect.poll(check).toBe(true)
  })

  it.each(['none', 'sending'] as const)(
    'push what is below them down as they open, with targets: %s',
    async (scene) => {
      await openOnAir({
        memory: new Map([
          ['sidestage.studio-open.encoder', '1'],
          ['sidestage.studio-open.check', '1'],
        ]),
        answers: { 'targets.list': () => makeTargets(scene, began) },
      })
      await expect.poll(isShown('[data-part=targets] button')).toBe(true)
      const edge = (selector: string, side: 'top' | 'bottom') =>
        document.querySelector(selector)!.getBoundingClientRect()[side]
      const lowest = Math.max(edge('.encoder', 'bottom'), edge('.check', 'bottom'))
      expect(edge('[data-part=targets]', 'top')).toBeGreaterThanOrEqual(lowest)
      expect(edge('[data-part=log]', 'top')).toBeGreaterThanOrEqual(lowest)
      for (const item of document.querySelectorAll('[data-figure=check]'))
        expect(item.getBoundingClientRect().bottom).toBeLessThanOrEqual(edge('.check', 'bottom'))
    },
  )

  it('bring a fault of the check into view in a low window', async () => {
    await page.viewport(1120, 700)
    onTestFinished(() => page.viewport(1440, 900))
    const { tell } = await openOnAir({ memory: new Map([['sidestage.studio-open.encoder', '1']]) })
    await tell(figures(onAir, { kbps: 6_012, fps: 60, keyFrameGap: 12_000 }))
    await expect
      .poll(() => {
        const item = document.querySelector('[data-figure=check][data-state=fault]')?.getBoundingClientRect()
        const { top, bottom } = body().getBoundingClientRect()
        return item !== undefined && item.height > 0 && item.top >= top && item.bottom <= bottom
      })
      .toBe(true)
  })

  it('have the log among them in a low window', async () => {
    await page.viewport(1120, 700)
    onTestFinished(() => page.viewport(1440, 900))
    await openOnAir()
    expect(isShown('[data-part=log] p')()).toBe(false)
    await line(log.title).click()
    await expect.poll(isShown('[data-part=log] p')).toBe(true)
  })

  it('go when nothing is on air any more', async () => {
    const { tell } = await openOnAir()
    await expect.element(region(words.encoder)).toBeVisible()
    await tell(tallies([tally({ ...onAir, status: 0 })]))
    await expect.element(region(push.title)).toBeVisible()
    expect(region(words.encoder).query()).toBeNull()
  })
})
