import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { answered, makeHold } from '../../testing/fake-hold.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { makeTarget, makeTargets } from '../../testing/fake-targets.ts'
import { began, tallies, tally, figures } from '../../testing/mounted.ts'
import { usualReach } from '../../testing/share-values.ts'
import { openBefore, waiting } from '../../testing/mounted-studio.ts'
import { broadcastsWords } from '../broadcasts/words.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { holdWords } from '../hold/words.ts'
import { obsWords } from '../obs/words.ts'
import { roomPanelWords } from '../rooms/words-panel.ts'
import { targetsWords } from '../targets/words.ts'
import { beforeWords } from './words-before.ts'
import { studioWords } from './words.ts'

const { before: words } = spoken(beforeWords, 'en')
const { push } = spoken(studioWords, 'en')
const { obs } = spoken(obsWords, 'en')
const { hold } = spoken(holdWords, 'en')
const { targets } = spoken(targetsWords, 'en')
const { roomPanel } = spoken(roomPanelWords, 'en')
const { broadcast } = spoken(broadcastsWords, 'en')
const button = (name: string) => page.getByRole('button', { name, exact: true })
const region = (name: string) => page.getByRole('region', { name, exact: true })
const card = () => region(words.title)
const violations = async (): Promise<string[]> =>
  (await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`,
  )
const markOf = (within: string): string | undefined =>
  document.querySelector<HTMLElement>(`${within} > .part-mark`)?.dataset['mark']
/** Whether one element stands before the other on the page. */
const isFirst = (one: Element | null, other: Element | null): boolean =>
  one !== null && other !== null && (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) > 0
const part = (name: string): Element | null => document.querySelector(`section[aria-label="${name}"]`)

describe('the encoder before a broadcast', () => {
  it('is one step, which OBS takes in one press, or server and key', async () => {
    await openBefore()
    await expect.element(card()).toMatchTextContent(words.steps.one)
    await expect.element(card().getByRole('button', { name: obs.connectAsk })).toBeVisible()
    await expect.element(card().getByText('rtmp://127.0.0.1:1935/live')).toBeVisible()
    expect(isFirst(part(obs.title), part(push.title))).toBe(true)
    expect(document.querySelectorAll('[data-figure=keyLeft]')).toHaveLength(1)
  })

  it('has server and key first where there is no OBS', async () => {
    const { tell } = await openBefore({ obs: 'absent' })
    await expect.element(region(obs.title).getByRole('button', { name: obs.tryNow })).toBeVisible()
    expect(isFirst(part(push.title), part(obs.title))).toBe(true)
    await expect.element(card()).toMatchTextContent(words.steps.one)
    // Nor while it is tried again.
    await tell({ type: 'obs', obs: { ...makeObs('absent', began), phase: 'connecting', reason: null } })
    expect(isFirst(part(push.title), part(obs.title))).toBe(true)
  })

  it('is ready once OBS is connected, with the button that starts it', async () => {
    await openBefore({ obs: 'idle' })
    await expect.element(card()).toMatchTextContent(words.steps.none)
    await expect.element(region(obs.title).getByRole('button', { name: obs.goLive })).toBeVisible()
  })

  it('is at fault while OBS refuses its password', async () => {
    await openBefore({ obs: 'refused' })
    await expect.element(region(obs.title).getByRole('button', { name: obs.enter })).toBeVisible()
    expect(markOf('.card-part')).toBe('fault')
  })

  it('says when its key ends within a day, and offers another', async () => {
    await openBefore({ keyLeft: 3_600_000 })
    await expect.element(region(push.title)).toMatchTextContent('0 d 01:00:00')
    await expect.element(region(push.title).getByRole('button', { name: push.renew })).toBeVisible()
    await expect.element(region(push.title).getByRole('button', { name: push.replace })).toBeVisible()
  })

  it('has a second step once its key has expired', async () => {
    await openBefore({ keyLeft: -1_000 })
    await expect.element(card()).toMatchTextContent(words.steps.two)
    expect(markOf('.card-part')).toBe('fault')
  })
})

describe('the parts before a broadcast', () => {
  it('say which are ready by their marks, and chat off is none', async () => {
    await openBefore({ answers: { 'rooms.chat': () => ({ on: false, roomid: 7, people: 0 }) } })
    const chat = `section[aria-label="${roomPanel.chat.title}"]`
    await expect.poll(() => markOf(chat)).toBe('off')
    await expect.element(region(roomPanel.chat.title)).toMatchTextContent(roomPanel.chat.off)
    expect(markOf('section[aria-label="Recording"]')).toBe('ready')
    await expect.poll(() => markOf('section[aria-label="Who can watch"]')).toBe('ready')
  })

  it('turn the hold off and on again as long as it was', async () => {
    let now = makeHold({ holdSeconds: 300 })
    const { client } = await openBefore({
      answers: {
        'operations.hold.hold': () => answered(now),
        'operations.hold.updateHold': ({ call }) =>
          answered((now = { ...now, holdSeconds: call.holdSeconds ?? now.holdSeconds })),
      },
    })
    const held = page.getByRole('switch', { name: hold.form.hold })
    await expect.element(region(hold.title)).toMatchTextContent('up to 5 min')
    await held.click()
    await expect.element(held).not.toBeChecked()
    await held.click()
    await expect.element(held).toBeChecked()
    expect(client.inputs('operations.hold.updateHold').map(({ call }) => call.holdSeconds)).toEqual([0, 300])
  })

  it('change how far it reaches at once, and lead to the sheet for a way that was not set up', async () => {
    const home = { ...usualReach, reach: 'home', url: 'http://192.168.1.20:8711' }
    const { client, pinia } = await openBefore({
      answers: { 'operations.reach.updateReach': () => ({ ret: home }) },
    })
    await button('Home network').click()
    await expect
      .poll(() => client.inputs('operations.reach.updateReach').map(({ call }) => call))
      .toEqual([{ reach: 'home' }])
    await expect.element(page.getByText('http://192.168.1.20:8711', { exact: false })).toBeVisible()
    await expect.element(page.getByRole('img', { name: /QR/ })).toBeVisible()
    await button(words.watch.link).click()
    await expect
      .poll(() => useDialogs(pinia).shareAsked === null && document.querySelector('[role=dialog]'))
      .toBeTruthy()
  })

  it('name a target whose key is missing, and ask for it', async () => {
    await openBefore({
      answers: {
        'targets.list': () => {
          const board = makeTargets('ready', began)
          return { ...board, targets: board.targets.map((one) => ({ ...one, start: 'push' as const })) }
        },
      },
    })
    const also = region(targets.before)
    await expect.element(also.getByRole('button', { name: `${targets.enterKey} Campus` })).toBeVisible()
    await expect.element(also.getByRole('switch', { name: /Twitch/ })).toBeChecked()
    expect(markOf(`section[aria-label="${targets.before}"]`)).toBe('fault')
    expect(document.querySelector('.get-on-air')?.contains(part(targets.before))).toBe(true)
  })
})

describe('a target before a broadcast', () => {
  it('that refused its key last time says so, and is a fault', async () => {
    const refused = makeTarget(1, { state: 'refused', reason: 'refused', answer: 'Invalid stream key', kbps: 0 })
    await openBefore({
      answers: { 'targets.list': () => ({ targets: [refused], needs: 0, budget: 0, waiting: 0 }) },
    })
    await expect.element(region(targets.before)).toMatchTextContent('Invalid stream key')
    await expect.element(region(targets.before)).toMatchTextContent(targets.state.refused)
    expect(markOf(`section[aria-label="${targets.before}"]`)).toBe('fault')
  })
})

describe('the last broadcasts', () => {
  it('are the three newest, each with its page and its files', async () => {
    await openBefore()
    const list = region(broadcast.title)
    await expect.element(list.getByRole('link', { name: /Night Radio 213/ })).toMatchTextContent('peak 318')
    expect(list.getByRole('link', { name: /Night Radio/ }).elements()).toHaveLength(3)
    await expect
      .element(list.getByRole('link', { name: /Night Radio 212/ }))
      .toHaveAttribute('href', expect.stringContaining(`/broadcasts/${'2'.repeat(24)}`))
    await expect.element(list.getByRole('link', { name: words.allRecordings })).toBeVisible()
  })
})

describe('the Studio before a broadcast', () => {
  it('turns into that of a broadcast as the picture comes, with what was begun', async () => {
    const { tell } = await openBefore()
    await button(targets.none).click()
    await page.getByRole('dialog').getByRole('textbox').first().fill('Campus')
    await tell(tallies([tally({ ...waiting, status: 1 })]), figures(waiting))
    await expect
      .element(page.getByText('Stream health').or(page.getByLabelText('Stream health')).first())
      .toBeInTheDocument()
    expect(document.querySelector('.get-on-air')?.getAttribute('role')).toBeNull()
    expect(document.querySelector<HTMLInputElement>('[role=dialog] input')?.value).toBe('Campus')
    expect(document.querySelector('#targets-before')?.children).toHaveLength(0)
    await userEvent.keyboard('{Escape}')
  })

  it('has the chat at its edge until it is pressed', async () => {
    await openBefore()
    const chat = button(roomPanel.open)
    await expect.element(chat).toHaveAttribute('aria-expanded', 'false')
    const isShown = () => document.querySelector('#studio-chat')?.checkVisibility()
    expect(isShown()).toBe(false)
    await chat.click()
    await expect.poll(isShown).toBe(true)
  })

  it('shows the chat once somebody is in it', async () => {
    await openBefore({ answers: { 'rooms.chat': () => ({ on: true, roomid: 7, people: 3 }) } })
    await expect.poll(() => document.querySelector('#studio-chat')?.checkVisibility()).toBe(true)
  })

  it('is walked through from top to bottom', async () => {
    await openBefore()
    await expect.poll(() => markOf('section[aria-label="Who can watch"]')).toBe('ready')
    const stops = [
      ...document.querySelectorAll<HTMLElement>('.get-on-air :is(button, a, input, [tabindex="0"])'),
    ].filter((one) => one.tabIndex >= 0 && one.checkVisibility())
    stops[0]!.focus()
    for (const stop of stops.slice(1)) {
      await userEvent.keyboard('{Tab}')
      expect(document.activeElement).toBe(stop)
    }
    const tops = [...document.querySelectorAll('.get-on-air .card-part')].map((one) => one.getBoundingClientRect().top)
    expect(tops).toHaveLength(6)
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  })

  it.each(['en', 'zh'] as const)('has no violations of accessibility, in %s', async (language) => {
    await openBefore({ language, answers: { 'targets.list': () => makeTargets('ready', began) } })
    await expect.poll(() => markOf('section:has([data-part=watchOutcome])')).toBe('ready')
    expect(await violations()).toEqual([])
  })
})
