import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Delivery, Receiver } from '../../../contract/rpc/receivers.ts'
import { makeDeliveries, makeReceiver } from '../../testing/fake-state.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, channel, mounted, tallies, tally, service } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import ReceiversPanel from './receivers-panel.vue'

const en = spoken(frameWords, 'en')
const callbacksEn = spoken(callbacksWords, 'en')
const callbacksZh = spoken(callbacksWords, 'zh')

const { receiver: words, callbacks } = callbacksEn
const at = { profileId: 'local' }
const receiver = (change: Partial<Receiver> = {}): Receiver => ({ ...makeReceiver('local'), ...change })
const off = receiver({ phase: 'off', url: null })
const delivery = (change: Partial<Delivery> = {}): Delivery => ({ ...makeDeliveries(began)[0]!, ...change })
const show = (state: Receiver = receiver(), options: Parameters<typeof mounted>[1] = {}) =>
  mounted(ReceiversPanel, {
    path: '/settings/receivers',
    ...options,
    answers: {
      'receivers.state': () => state,
      'receivers.deliveries': () => [],
      ...options.answers,
    },
  })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name })
const listening = () => page.getByRole('status').first()
const refused = () => {
  throw failed({ kind: 'full' })
}
const later = <T>(answer: T) => {
  const gate = Promise.withResolvers<void>()
  return { open: () => gate.resolve(), answer: () => gate.promise.then(() => answer) }
}

describe('the receiver of callbacks', () => {
  it('is asked for with the newest messages, and says where it listens', async () => {
    const { client } = await show()
    await expect.element(listening()).toMatchTextContent(words.phase.listening)
    await expect.element(listening()).toMatchTextContent('http://127.0.0.1:9000/callback')
    expect(client.inputs('receivers.state')).toEqual([at])
    expect(client.inputs('receivers.deliveries')).toEqual([{ ...at, limit: 100 }])
  })

  it('shows nothing of it before it is known', async () => {
    const { open, answer } = later(receiver())
    await show(off, { answers: { 'receivers.state': answer } })
    await expect.element(page.getByRole('heading', { name: words.title })).toBeVisible()
    expect(button(words.stop).query()).toBeNull()
    open()
    await expect.element(button(words.stop)).toBeVisible()
  })

  it('says why it could not be asked for', async () => {
    await show(off, { answers: { 'receivers.state': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(button(words.start).query()).toBeNull()
  })

  it('starts where the fields say, once, with Enter too', async () => {
    const { open, answer } = later(receiver({ host: '0.0.0.0', port: 9100 }))
    const { client } = await show(off, { answers: { 'receivers.start': answer } })
    await field(words.host).fill('0.0.0.0')
    await field(words.port).fill('9100')
    await userEvent.keyboard('{Enter}{Enter}')
    open()
    await expect.element(button(words.stop)).toBeVisible()
    expect(client.inputs('receivers.start')).toEqual([{ ...at, host: '0.0.0.0', port: 9100 }])
  })

  it.each([
    [words.host, 'example.com', words.hostFault],
    [words.port, '65536', words.portFault],
    [words.port, 'x', words.portFault],
  ] as const)('does not start where nothing can listen: %s %s', async (name, typed, fault) => {
    const { client } = await show(off)
    await field(name).fill(typed)
    await expect.element(page.getByText(fault)).toBeVisible()
    await button(words.start).click()
    expect(client.inputs('receivers.start')).toEqual([])
  })

  it('is stopped by its button', async () => {
    const { client } = await show(receiver(), { answers: { 'receivers.stop': () => off } })
    await button(words.stop).click()
    await expect.poll(() => client.inputs('receivers.stop')).toEqual([at])
    await expect.element(listening()).toMatchTextContent(words.phase.off)
  })

  it('says why it does not listen, and that it listens beyond this computer', async () => {
    const { tell } = await show(
      receiver({ phase: 'failed', url: null, reason: { code: 'failed', params: { system: 'EBUSY <9000>' } } }),
    )
    await expect.element(listening()).toMatchTextContent(words.phase.failed)
    await expect.element(listening()).toMatchTextContent('EBUSY <9000>')
    await tell({ type: 'receiver', receiver: receiver({ open: true }) })
    await expect.element(page.getByText(words.open)).toBeVisible()
  })

  it('of another profile is asked for when that is chosen, and nothing of the one before stays', async () => {
    const { client, pinia } = await show(receiver(), {
      answers: {
        'receivers.signKey': () => ({ signKey: 'local-key-1' }),
        'receivers.state': ({ profileId }) => makeReceiver(profileId),
      },
    })
    await button(words.showKey).click()
    await expect.element(page.getByText('local-key-1')).toBeVisible()
    useCompanion(pinia).choose('hosted-1')
    await expect.poll(() => client.inputs('receivers.state')).toEqual([at, { profileId: 'hosted-1' }])
    await expect.element(page.getByText('local-key-1')).not.toBeInTheDocument()
    await expect.element(field(words.address)).toBeVisible()
  })

  it('is asked for again when the line to the app is back', async () => {
    const { client, pinia, lose } = await show()
    await expect.element(button(words.stop)).toBeVisible()
    await lose()
    useCompanion(pinia).lineIs('open')
    await expect.poll(() => client.inputs('receivers.state').length).toBe(2)
  })
})

describe('the callback address of the service', () => {
  const set = () => button(words.register)

  it('is set to the receiver of this computer, and said to be', async () => {
    const { client } = await show(receiver(), {
      answers: { 'receivers.register': () => ({ url: 'http://127.0.0.1:9000/callback?<x>' }) },
    })
    await set().click()
    await expect.poll(() => client.inputs('receivers.register')).toEqual([at])
    await expect
      .element(page.getByText(words.registered.replace('{url}', 'http://127.0.0.1:9000/callback?<x>')))
      .toBeVisible()
  })

  it('of a hosted service is the one that was entered, and none without one', async () => {
    const { client } = await show(makeReceiver('hosted-1'), {
      profile: 'hosted-1',
      answers: { 'receivers.register': ({ url }) => ({ url: url! }) },
    })
    await expect.element(set()).toHaveAttribute('aria-disabled', 'true')
    await set().click({ force: true })
    expect(client.inputs('receivers.register')).toEqual([])
    await field(words.address).fill(' https://hooks.example.com/callback ')
    await set().click()
    await expect
      .poll(() => client.inputs('receivers.register'))
      .toEqual([{ profileId: 'hosted-1', url: 'https://hooks.example.com/callback' }])
  })

  it('that was refused is told with the reason', async () => {
    await show(receiver(), { answers: { 'receivers.register': refused } })
    await set().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
  })

  it('is not set while the service is down', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await expect.element(set()).toHaveAttribute('aria-disabled', 'true')
    await set().click({ force: true })
    expect(client.inputs('receivers.register')).toEqual([])
  })
})

describe('the signing key of callbacks', () => {
  const key = { 'receivers.signKey': () => ({ signKey: 'local-key-1' }) } satisfies Answers

  it('is asked for only when it is to be shown, and hidden again', async () => {
    const { client } = await show(receiver(), { answers: key })
    await expect.element(button(words.showKey)).toBeVisible()
    expect(client.inputs('receivers.signKey')).toEqual([])
    await button(words.showKey).click()
    await expect.element(page.getByText('local-key-1')).toBeVisible()
    expect(client.inputs('receivers.signKey')).toEqual([at])
    await button(words.hideKey).click()
    await expect.element(page.getByText('local-key-1')).not.toBeInTheDocument()
  })

  it('is covered while a channel is on air, also when the answer comes late', async () => {
    const live = channel(1, { status: 1 })
    const { open, answer } = later({ signKey: 'local-key-1' })
    const { client, tell } = await show(receiver(), {
      channels: [channel(1)],
      answers: { 'receivers.signKey': answer },
    })
    await button(words.showKey).click()
    await tell(tallies([tally(live)]))
    open()
    await expect.element(page.getByText(en.word.covered)).toBeVisible()
    expect(page.getByText('local-key-1').query()).toBeNull()
    await button(words.showKey).click({ force: true })
    expect(client.inputs('receivers.signKey').length).toBe(1)
  })

  it('that is not known is told, and has no button to show it', async () => {
    await show(receiver({ keyKnown: false }))
    await expect.element(page.getByText(words.keyMissing)).toBeVisible()
    expect(button(words.showKey).query()).toBeNull()
  })

  it('is set here and at the service, once; the field is empty then', async () => {
    const { open, answer } = later(undefined)
    const { client } = await show(receiver(), { answers: { 'receivers.setSignKey': answer } })
    const typed = page.getByLabelText(words.newKey)
    await typed.fill('new key')
    await userEvent.keyboard('{Enter}{Enter}')
    open()
    await expect.element(typed).toHaveValue('')
    expect(client.inputs('receivers.setSignKey')).toEqual([{ ...at, signKey: 'new key', atService: true }])
    expect(client.inputs('receivers.state').length).toBe(2)
    expect((typed.element() as HTMLInputElement).type).toBe('password')
  })

  it('that was refused stays in the field', async () => {
    await show(receiver(), { answers: { 'receivers.setSignKey': refused } })
    const typed = page.getByLabelText(words.newKey)
    await typed.fill('new key')
    await button(words.saveKey).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(typed).toHaveValue('new key')
  })

  it('is not set when none was entered', async () => {
    const { client } = await show()
    await expect.element(button(words.saveKey)).toHaveAttribute('aria-disabled', 'true')
    await button(words.saveKey).click({ force: true })
    expect(client.inputs('receivers.setSignKey')).toEqual([])
  })
})

describe('callbacks that came in', () => {
  it('are none at first', async () => {
    await show()
    await expect.element(page.getByText(words.none)).toBeVisible()
  })

  it('are told with what came of each, and their fields as they came', async () => {
    await show(receiver(), {
      answers: {
        'receivers.deliveries': () => [
          delivery({ fields: { video_name: '<b>晚会</b> {n}', cid: 'abc' } }),
          ...makeDeliveries(began).slice(1),
        ],
      },
    })
    const entries = page.getByRole('listitem')
    await expect.element(entries.first()).toMatchTextContent(callbacks.verdict.accepted)
    await expect.element(entries.first()).toMatchTextContent('<b>晚会</b> {n}')
    for (const text of [callbacks.verdict.duplicate, words.stale])
      await expect.element(entries.nth(1)).toMatchTextContent(text)
    for (const text of [callbacks.verdict.forged, callbacks.test.tamper])
      await expect.element(entries.nth(2)).toMatchTextContent(text)
    await expect.element(entries.nth(3)).toMatchTextContent(callbacks.verdict.unreadable)
  })

  it.each([
    ['replayed', 'receivers.replay', words.replayThis],
    ['tampered with', 'receivers.tamper', words.tamperThis],
  ] as const)('are %s by their button, that one, and read again then', async (_case, path, name) => {
    const gate = later(delivery())
    const { client } = await show(receiver(), {
      answers: { 'receivers.deliveries': () => [delivery({ id: 4 }), delivery({ id: 3 })], [path]: gate.answer },
    })
    await button(name.replace('{n}', '3')).click()
    await button(name.replace('{n}', '4')).click({ force: true })
    gate.open()
    await expect.poll(() => client.inputs('receivers.deliveries').length).toBeGreaterThan(1)
    expect(client.inputs(path)).toEqual([{ ...at, id: 3 }])
  })

  it('are sent again if they are genuine, duplicates too, and not if they were turned away', async () => {
    await show(receiver(), { answers: { 'receivers.deliveries': () => makeDeliveries(began) } })
    const entries = page.getByRole('listitem')
    for (const [index, verdict] of (['accepted', 'duplicate', 'forged', 'unreadable'] as const).entries()) {
      const entry = entries.nth(index)
      await expect.element(entry).toMatchTextContent(callbacks.verdict[verdict])
      expect(entry.getByRole('button').elements()).toHaveLength(index < 2 ? 2 : 0)
    }
  })

  it('cannot be sent again while the receiver is off, and say so', async () => {
    const { client } = await show(off, { answers: { 'receivers.deliveries': () => [delivery({ id: 4 })] } })
    const replay = button(words.replayThis.replace('{n}', '4'))
    await expect.element(replay).toHaveAttribute('title', words.whenOn)
    await replay.click({ force: true })
    expect(client.inputs('receivers.replay')).toEqual([])
  })

  it('are read again as one comes in', async () => {
    const { client, tell } = await show()
    await expect.element(page.getByText(words.none)).toBeVisible()
    client.answer({ 'receivers.deliveries': () => [delivery()] })
    await tell({ type: 'delivery', profileId: 'local', delivery: delivery() })
    await expect.element(page.getByRole('listitem')).toMatchTextContent(callbacks.verdict.accepted)
  })
})

it('the receiver of callbacks has its words in Chinese', async () => {
  await show(receiver(), { language: 'zh' })
  const { receiver: zh } = callbacksZh
  await expect.element(page.getByRole('heading', { name: zh.title })).toBeVisible()
  for (const name of [zh.stop, zh.register, zh.showKey, zh.saveKey]) await expect.element(button(name)).toBeVisible()
  await expect.element(page.getByText(zh.none)).toBeVisible()
})
