import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { useLive } from '../channels/live.ts'
import { page, userEvent } from 'vitest/browser'
import type { HoldState } from '../../../contract/rpc/hold.ts'
import { spoken } from '../../format/languages.ts'
import { answered, makeHold } from '../../testing/fake-hold.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import HoldCard from './hold-card.vue'
import { holdWords } from './words.ts'

const { hold: words } = spoken(holdWords, 'en')
const en = spoken(frameWords, 'en')
const one = channel(1, { status: 1 })
const at = { profileId: 'local', cid: one.cid }
const call = { profileId: 'local', call: { cid: one.cid } }
const update = (change: object) => ({ profileId: 'local', call: { cid: one.cid, ...change } })
const show = (
  change: Partial<HoldState> = {},
  {
    live = true,
    recording = true,
    ...options
  }: Parameters<typeof mounted>[1] & { readonly live?: boolean; readonly recording?: boolean } = {},
) => {
  let now = makeHold(change)
  const put = (more: Partial<HoldState>) => answered((now = { ...now, ...more }))
  return mounted(HoldCard, {
    props: { ...at, live, disabled: false, recording },
    channels: [one],
    ...options,
    answers: {
      'operations.hold.hold': () => answered(now),
      'operations.hold.holdNow': () => put({ holding: true, byHand: true, since: began }),
      'operations.hold.holdBack': () => put({ holding: false, byHand: false, since: null, nextHeldUntil: null }),
      'operations.hold.updateHold': ({ call: { holdSeconds = now.holdSeconds, delaySeconds = now.delaySeconds } }) =>
        put({ holdSeconds, delaySeconds, delayed: delaySeconds * 1_000 }),
      'operations.hold.dumpDelay': () => ({ code: 200, ret: { discarded: 28_600 } }),
      ...options.answers,
    },
  })
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const card = () => page.getByRole('region', { name: words.title })
const violations = async (): Promise<string[]> =>
  (await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })).violations.map(({ id }) => id)

describe('the hold', () => {
  it('says how long it lasts, and when it was last used', async () => {
    await show({ lastHeld: began, lastHeldFor: 9_000 })
    await expect.element(card()).toMatchTextContent('viewers keep the last picture for 2 min')
    await expect.element(card()).toMatchTextContent('Last used 16:00:00, 9 s.')
    await expect.element(card()).toMatchTextContent(words.ready)
    expect(await violations()).toEqual([])
  })

  it('is put on and taken off by hand, and counts meanwhile', async () => {
    const { client, pass } = await show()
    await button(words.now).click()
    await expect.element(button(words.back)).toBeVisible()
    await pass(12_000)
    await expect.element(card()).toMatchTextContent('Holding00:12')
    expect(await violations()).toEqual([])
    await button(words.back).click()
    await expect.element(button(words.now)).toBeVisible()
    expect([client.inputs('operations.hold.holdNow'), client.inputs('operations.hold.holdBack')]).toEqual([
      [call],
      [call],
    ])
  })

  it('by hand says what ends it: an encoder that is stopped, or lost while nothing else holds', async () => {
    const byHand = { holding: true, byHand: true, since: began }
    const { tell } = await show(byHand)
    await expect.element(card()).toMatchTextContent('at most until the encoder is stopped. Recording goes on')
    await tell({ type: 'hold', ...at, at: began, hold: makeHold({ ...byHand, holdSeconds: 0 }) })
    await expect.element(card()).toMatchTextContent('until the encoder is stopped or lost.')
    await tell({ type: 'hold', ...at, at: began, hold: makeHold({ ...byHand, until: began + 120_000 }) })
    await expect
      .element(card())
      .toMatchTextContent('The encoder is lost as well; the broadcast ends 16:02:00 unless it returns.')
    await expect.element(button(words.back)).toBeVisible()
  })

  it('that is over says so, and when viewers see it, as long as they are behind', async () => {
    const over = { lastHeld: began - 24_000, lastHeldFor: 24_000, goesOn: began + 25_000 }
    const { pass } = await show({ ...over, delaySeconds: 25, delayed: 25_000 })
    await expect.element(card()).toMatchTextContent('The hold is over. Viewers see the picture go on at 16:00:25.')
    await expect.element(card()).toMatchTextContent('Last used 15:59:36, 24 s.')
    await expect.element(card()).toMatchTextContent(words.over)
    expect(card().element().textContent).not.toContain(words.ready)
    expect(await violations()).toEqual([])
    await pass(26_000)
    await expect.element(card()).toMatchTextContent(words.ready)
    expect(card().element().textContent).not.toContain('The hold is over')
  })

  it('by hand since before any picture says that none is sent, and what who was watching sees', async () => {
    const byHand = { holding: true, byHand: true, noPicture: true, since: began }
    const { tell } = await show(byHand)
    await expect.element(card()).toMatchTextContent('Who comes now sees black, who was watching may keep the last')
    await tell({ type: 'hold', ...at, at: began, hold: makeHold({ ...byHand, until: began + 120_000 }) })
    await expect.element(card()).toMatchTextContent('No picture is sent. The encoder is lost as well')
  })

  it('of a broadcast that was lost says before the next push that it will be held, and can be ended', async () => {
    const { client, pass } = await show({ nextHeldUntil: began + 300_000 }, { live: false })
    await expect.element(card()).toMatchTextContent(words.nextHeld)
    await expect.element(card()).toMatchTextContent('begins before 16:05:00 stays held by hand: no picture is sent')
    expect(card().element().textContent).not.toContain(words.ready)
    expect(await violations()).toEqual([])
    await button(words.endNext).click()
    expect(client.inputs('operations.hold.holdBack')).toEqual([call])
    await expect.element(card()).toMatchTextContent(words.ready)
    expect(button(words.endNext).query()).toBeNull()
    await pass(1_000)
  })

  it('is read again once the service is back, also where nothing was on air', async () => {
    const { tell } = await show({ nextHeldUntil: began + 300_000 }, { live: false })
    await expect.element(card()).toMatchTextContent(words.nextHeld)
    await tell(service('restarting'))
    await tell({ type: 'hold', ...at, at: began, hold: null })
    expect(page.getByText(words.nextHeld).query()).toBeNull()
    await tell(service('running'))
    await expect.element(card()).toMatchTextContent(words.nextHeld)
  })

  it('is not said of a next push that comes too late to be held', async () => {
    const { pass } = await show({ nextHeldUntil: began + 5_000 }, { live: false })
    await expect.element(button(words.endNext)).toBeVisible()
    await pass(6_000)
    await expect.element(card()).toMatchTextContent(words.ready)
    expect(button(words.endNext).query()).toBeNull()
  })

  it('by hand says that recording goes on only where it does', async () => {
    await show({ holding: true, byHand: true, since: began }, { recording: false })
    await expect.element(card()).toMatchTextContent('at most until the encoder is stopped.')
    expect(card().element().textContent).not.toContain('Recording')
  })

  it.each([{}, { holding: true, byHand: true, since: began }])(
    'of a push that cannot be asked about is not known: %o',
    async (state) => {
      const { lose } = await show(state)
      await expect.element(card()).toMatchTextContent('holding' in state ? words.holding : words.ready)
      await lose()
      await expect.element(card()).toMatchTextContent(en.tally.unknown)
      for (const word of [words.ready, words.holding])
        expect(card().getByText(word, { exact: true }).query()).toBeNull()
      expect(await violations()).toEqual([])
    },
  )

  it('keeps the focus on its button while it is put on and taken off', async () => {
    await show()
    ;(button(words.now).element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(button(words.back)).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(button(words.now)).toHaveFocus()
  })

  it('of a lost encoder says until when, and offers no way back that is none', async () => {
    const { tell } = await show()
    await tell({
      type: 'hold',
      ...at,
      at: began,
      hold: makeHold({ holding: true, since: began, until: began + 120_000 }),
    })
    await expect.element(card()).toMatchTextContent('the broadcast ends 16:02:00 unless it returns')
    expect([button(words.back).query(), button(words.now).query()]).toEqual([null, null])
  })

  it('of a lost encoder with a delay says from when on viewers see the last picture', async () => {
    const lost = { holding: true, since: began, until: began + 120_000, delaySeconds: 10, delayed: 10_000 }
    const { pass } = await show(lost)
    await expect.element(card()).toMatchTextContent('Viewers see the last picture from 16:00:10; the broadcast ends')
    await pass(11_000)
    await expect.element(card()).toMatchTextContent('Viewers see the last picture; the broadcast ends 16:02:00')
  })

  it('says why it did not begin', async () => {
    await show(
      {},
      {
        answers: {
          'operations.hold.holdNow': () => {
            throw failed({ kind: 'late' })
          },
        },
      },
    )
    await button(words.now).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('is not touched while the service is down', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await button(words.now).click({ force: true })
    await expect.element(button(words.now)).toHaveAttribute('title', en.blocker.down)
    expect(client.inputs('operations.hold.holdNow')).toEqual([])
  })

  it('is set to another time or off, with the delay', async () => {
    const { client } = await show({ holdSeconds: 45 }, { live: false })
    await button(words.settings).click()
    const time = dialog().getByLabelText(words.form.hold)
    const options = [...(time.element() as HTMLSelectElement).options].map(({ text }) => text)
    expect(options).toEqual(['Off', '30 s', '45 s', '1 min', '2 min', '5 min', '10 min', '60 min'])
    await userEvent.selectOptions(time, '5 min')
    await dialog().getByLabelText(words.form.delay).fill('90')
    expect(await violations()).toEqual([])
    await dialog().getByRole('button', { name: words.form.save }).click()
    await expect
      .poll(() => client.inputs('operations.hold.updateHold'))
      .toEqual([update({ holdSeconds: 300, delaySeconds: 90 })])
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(card()).toMatchTextContent('for 5 min')
  })

  it.each(['', '3601', 'x', '-1', '0.5'])('takes no delay of "%s" s, and says which it takes', async (entered) => {
    const { client } = await show({}, { live: false })
    await button(words.settings).click()
    await dialog().getByLabelText(words.form.delay).fill(entered)
    await expect.element(dialog()).toMatchTextContent('A whole number of seconds or minutes, at most 60 min.')
    await dialog().getByRole('button', { name: words.form.save }).click()
    expect(client.inputs('operations.hold.updateHold')).toEqual([])
  })
})

describe('the delay for viewers', () => {
  it('warns once, while on air, that a longer one repeats the picture', async () => {
    const memory = new Map<string, string>()
    const { client, pass, pinia } = await show({ delayed: 1_400 }, { memory })
    await expect.element(button('1.4 s')).toHaveAttribute('aria-pressed', 'true')
    await button('10 s').click()
    await expect.element(dialog()).toMatchTextContent('Delay viewers by 10 s?')
    await expect.element(dialog()).toMatchTextContent('Targets are delayed too.')
    await expect.element(dialog()).toMatchTextContent('still picture until the delay is reached. If you choose')
    await expect.element(dialog()).toMatchTextContent('You are asked this only once.')
    expect(client.inputs('operations.hold.updateHold')).toEqual([])
    await dialog().getByRole('button', { name: words.longer.action, exact: true }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await pass(1_000)
    await button('30 s').click()
    await expect
      .poll(() => client.inputs('operations.hold.updateHold'))
      .toEqual([update({ delaySeconds: 10 }), update({ delaySeconds: 30 })])
    await expect
      .poll(() =>
        useLive(pinia)
          .logOf('local', at.cid)
          .map(({ kind, count }) => [kind, count]),
      )
      .toEqual([
        ['delaySet', 30],
        ['delaySet', 10],
      ])
  })

  it('of another length opens the form at its field', async () => {
    await show()
    await button(words.other).click()
    await expect.element(dialog().getByLabelText(words.form.delay)).toHaveFocus()
  })

  it('says how far it is', async () => {
    const { tell } = await show({ delaySeconds: 30, delayed: 12_300, delayChanging: true })
    await expect.element(card()).toMatchTextContent('growing to 30 s')
    await tell({ type: 'hold', ...at, at: began, hold: makeHold({ delaySeconds: 30, delayed: 30_000 }) })
    await expect.element(card()).toMatchTextContent('reached, 30.0 s')
    await tell({
      type: 'hold',
      ...at,
      at: began,
      hold: makeHold({ delaySeconds: 300, delayed: 20_000, delayFault: 'disk' }),
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.disk)
    await expect.element(button('5 min…')).toHaveAttribute('aria-pressed', 'true')
  })

  it('does not grow while the picture is held by hand', async () => {
    await show({ delaySeconds: 10, delayed: 10_000, holding: true, byHand: true, since: began })
    await expect.element(card()).toMatchTextContent('grows to 10 s after Back to live')
    for (const word of ['growing', 'reached']) expect(card().element().textContent).not.toContain(word)
  })

  it('is discarded after a question, which says how much nobody gets', async () => {
    const { client, pinia } = await show({ delaySeconds: 30, delayed: 30_000 })
    await button(words.dump).click()
    await expect.element(dialog()).toMatchTextContent('The last 30.0 s reach nobody')
    expect(client.inputs('operations.hold.dumpDelay')).toEqual([])
    await dialog().getByRole('button', { name: words.dumpAsk.action }).click()
    await expect.element(card()).toMatchTextContent('28.6 s were discarded')
    expect(useLive(pinia).logOf('local', at.cid)[0]).toMatchObject({ kind: 'dumped', count: 29 })
  })

  it('that was discarded is not said to grow, and is there again when it is chosen again', async () => {
    const { client } = await show({ delaySeconds: 30, delayed: 0 })
    await expect.element(card()).toMatchTextContent(words.away)
    await expect.element(button('30 s')).toHaveAttribute('aria-pressed', 'false')
    await button('30 s').click()
    await expect
      .poll(() => client.inputs('operations.hold.updateHold').at(-1))
      .toMatchObject({ call: { delaySeconds: 30 } })
  })

  it('is still to be discarded while viewers see the rest of a push that is over', async () => {
    await show({ delaySeconds: 30, delayed: 30_000 }, { live: false })
    await expect.element(card()).toMatchTextContent('viewers see the rest, 30.0 s later')
    // How much is left is not measured: nothing may be said that was so at one moment alone.
    await expect.element(card()).not.toMatchTextContent('last 30.0 s')
    await button(words.dump).click()
    await expect.element(dialog()).toMatchTextContent('at most 30.0 s, reaches nobody')
  })

  it('has nothing to discard off the air', async () => {
    await show({ delaySeconds: 30 }, { live: false })
    await expect.element(card()).toMatchTextContent(words.next)
    expect(button(words.dump).query()).toBeNull()
  })
})
