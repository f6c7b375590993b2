import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { makeService } from '../../testing/fake-state.ts'
import { makeTargets } from '../../testing/fake-targets.ts'
import { began } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import { beyond, cut } from '../../testing/cut-texts.ts'
import { openBefore } from '../../testing/mounted-studio.ts'
import { goLiveWords } from './words-go-live.ts'
import { beforeWords } from './words-before.ts'

const { goLive } = spoken(goLiveWords, 'en')
const { before: words } = spoken(beforeWords, 'en')
const check = () => page.getByRole('region', { name: goLive.title, exact: true })
const button = (name: string) => check().getByRole('button', { name, exact: true })
const lines = (): (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('.check [data-line]')].map(({ dataset }) => dataset['line'])
const sum = () => document.querySelector('[data-figure=readyChecks]')?.textContent
const tight = { ...makeService(began, 'full'), recordingRoom: 2e9 }
const closed = { answers: sheetAnswers({ closed: true }) }

describe('the check before a broadcast', () => {
  it('is one line while all is good, and opens to all of it', async () => {
    await openBefore()
    await expect.poll(sum).toBe('All good · 8 checks')
    expect(lines()).toEqual([])
    await button(words.check.more).click()
    await expect.poll(lines).toEqual(['profile', 'key', 'recording', 'disk', 'share', 'targets', 'room', 'moderators'])
    await button(words.check.less).click()
    await expect.poll(lines).toEqual([])
  })

  it('opens at its first fault, whose way out leads there', async () => {
    await openBefore(closed)
    await expect.poll(lines).toEqual(['share'])
    expect(sum()).toBe('7 of 8 ready, 1 to look at')
    await button(goLive.fix.share).click()
    await expect.element(page.getByRole('dialog', { name: 'Who can watch' })).toBeVisible()
  })

  it('leaves a fault for this broadcast, and still counts it', async () => {
    await openBefore(closed)
    await button(words.check.leave).click()
    await expect.poll(lines).toEqual([])
    expect(sum()).toBe('7 of 8 ready, 1 to look at')
    await button(words.check.more).click()
    await expect.poll(lines).toContain('share')
    expect(button(words.check.leave).query()).toBeNull()
  })

  it('goes on to the next fault when one is left', async () => {
    await openBefore({
      keyLeft: 3_600_000,
      answers: { ...sheetAnswers({ closed: true }) },
    })
    await expect.poll(lines).toEqual(['share'])
    await button(words.check.leave).click()
    await expect.poll(lines).toEqual(['key'])
    await expect.element(button(goLive.fix.renew)).toBeVisible()
  })

  it.each([
    [goLive.fix.recordings, '/recordings'],
    [goLive.fix.folder, '/settings/computer'],
  ])('leads out of a disk that is nearly full by %s', async (name, path) => {
    const { router } = await openBefore({ events: [{ type: 'service', service: tight }] })
    await expect.poll(lines).toEqual(['disk'])
    await button(name).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(path)
  })

  it('is made again on request', async () => {
    const { client } = await openBefore()
    await expect.poll(sum).toContain('All good')
    const before = client.inputs('profiles.test').length
    await button(goLive.again).click()
    await expect.poll(() => client.inputs('profiles.test').length).toBe(before + 1)
  })

  it('opens the whole check, as on air', async () => {
    await openBefore()
    await button(goLive.run).click()
    await expect.element(page.getByRole('dialog', { name: goLive.title })).toBeVisible()
  })
})

describe('the Studio before a broadcast in its sizes', () => {
  it.each(
    (
      [
        [1440, 900],
        [1280, 800],
        [1120, 700],
        [1920, 1080],
      ] as const
    ).flatMap(([width, height]) => (['en', 'zh'] as const).map((language) => [width, height, language] as const)),
  )('is whole at %i x %i, in %s', async (width, height, language) => {
    await page.viewport(width, height)
    onTestFinished(() => page.viewport(1440, 900))
    await openBefore({ language, answers: { 'targets.list': () => makeTargets('ready', began) } })
    await expect.poll(() => document.querySelector('[data-part=watchAddress]')).not.toBeNull()
    await expect.poll(lines).toEqual(['targets'])
    expect(cut()).toEqual([])
    expect(beyond()).toEqual([])
    // The head of the card stays, and its last part comes into view within it.
    const head = document.querySelector('.get-on-air > header')!
    const top = head.getBoundingClientRect().top
    document.querySelector('.get-on-air li:last-child')!.scrollIntoView({ block: 'nearest' })
    expect(head.getBoundingClientRect().top).toBe(top)
    const [card, picture] = ['.get-on-air', '.picture'].map((one) =>
      document.querySelector(one)!.getBoundingClientRect(),
    )
    expect(card!.bottom).toBeLessThanOrEqual(height - 24)
    expect(picture!.width).toBeGreaterThanOrEqual(370)
    expect(document.querySelector('[data-figure=broadcastPeak]')?.checkVisibility()).toBe(height >= 800)
  })

  it('has its columns below each other in a small window', async () => {
    await page.viewport(900, 700)
    onTestFinished(() => page.viewport(1440, 900))
    await openBefore()
    await expect.element(page.getByRole('region', { name: words.title })).toBeVisible()
    const [card, picture] = ['.get-on-air', '.picture'].map((one) =>
      document.querySelector(one)!.getBoundingClientRect(),
    )
    expect(card!.top).toBeGreaterThan(picture!.bottom)
    expect(beyond()).toEqual([])
  })
})
