import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { HoldState } from '../../../contract/rpc/hold.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { answered, makeHold } from '../../testing/fake-hold.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, starting, tallies, tally, type MountOptions } from '../../testing/mounted.ts'
import { useChannels } from '../channels/channels.ts'
import { useDialogs, type HoldQuestion, type SharePart } from '../channels/dialogs.ts'
import HoldCard from '../hold/hold-card.vue'
import { holdWords } from '../hold/words.ts'
import TargetsCard from '../targets/targets-card.vue'
import { targetsWords } from '../targets/words.ts'
import CommandPalette from './command-palette.vue'
import { frameWords } from './words.ts'
import { paletteWords } from './words-palette.ts'

const one = channel(1, { status: 1 })
const idle = channel(1, { status: 0 })
const on = { profileId: 'local', cid: one.cid }
const { palette: words } = spoken({ ...frameWords, ...paletteWords }, 'en')
const held = (change: Partial<HoldState>): AppEvent => ({ type: 'hold', ...on, at: began, hold: makeHold(change) })

const show = async (options: MountOptions = {}) => {
  const open = ref(true)
  const part: Component = {
    render: () => h(CommandPalette, { open: open.value, 'onUpdate:open': (next: boolean) => (open.value = next) }),
  }
  return { ...(await mounted(part, { channels: [one], tallies: [tally(one)], ...options })), open }
}
const search = () => page.getByRole('textbox').or(page.getByRole('combobox')).first()
const entry = (label: string) => page.getByRole('option', { name: starting(label) })
const said = (text: string) => page.getByText(text, { exact: true }).first()

describe('the command palette finds', () => {
  it.each<[Language, string, keyof typeof words, Partial<HoldState>]>([
    ['en', 'hold', 'holdNow', {}],
    ['en', '保持', 'holdNow', {}],
    ['zh', '保持', 'holdNow', {}],
    ['zh', 'hold', 'holdNow', {}],
    ['en', 'back to live', 'backLive', { holding: true, byHand: true }],
    ['zh', '恢复直播', 'backLive', { holding: true, byHand: true }],
    ['en', 'delay', 'delayForm', {}],
    ['zh', '延迟', 'delayForm', {}],
    ['en', 'hold', 'holdForm', {}],
    ['zh', '保持', 'holdForm', {}],
    ['en', 'dump', 'dump', { delaySeconds: 10, delayed: 10_000 }],
    ['zh', '丢弃', 'dump', { delaySeconds: 10, delayed: 10_000 }],
    ['en', 'targets', 'targets', {}],
    ['zh', '转推', 'targets', {}],
  ])('in %s by “%s”: %s', async (language, query, name, hold) => {
    await show({ language, events: [held(hold)] })
    await search().fill(query)
    const { palette } = spoken({ ...frameWords, ...paletteWords }, language)
    await expect.element(entry(palette[name] as string)).toBeVisible()
  })
})

describe('who can watch, from the command palette,', () => {
  it.each<[Language, string, 'share' | 'shareEntry' | 'shareLimits' | 'shareOff', SharePart]>([
    ['en', 'next broadcast', 'share', 'begin'],
    ['zh', 'next broadcast', 'share', 'begin'],
    ['zh', '下次直播', 'share', 'begin'],
    ['zh', '内嵌', 'share', 'begin'],
    ['zh', '具名', 'shareEntry', 'entry'],
    ['en', 'named', 'shareEntry', 'entry'],
    ['zh', '指定链接', 'shareEntry', 'entry'],
    ['zh', 'named', 'shareEntry', 'entry'],
    ['en', 'passphrase', 'shareEntry', 'entry'],
    ['zh', '口令', 'shareEntry', 'entry'],
    ['en', 'limits', 'shareLimits', 'limits'],
    ['zh', '限制', 'shareLimits', 'limits'],
    ['en', 'turn off', 'shareOff', 'off'],
    ['zh', '关闭', 'shareOff', 'off'],
    ['zh', 'turn off', 'shareOff', 'off'],
  ])('is found in %s by “%s”: %s', async (language, query, name, part) => {
    const { pinia, router } = await show({ language })
    await search().fill(query)
    await entry(spoken({ ...frameWords, ...paletteWords }, language).palette[name]).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(useDialogs(pinia).shareAsked).toBe(part)
  })
})

describe('what is done with the picture from the command palette', () => {
  it('is to hold it, and what came of it is told', async () => {
    const { client, open } = await show({
      events: [held({})],
      answers: {
        'operations.hold.holdNow': () => answered(makeHold({ holding: true, byHand: true })),
        'operations.hold.holdBack': () => answered(makeHold()),
      },
    })
    await entry(words.holdNow).click()
    await expect.element(said(words.held)).toBeVisible()
    const call = { profileId: 'local', call: { cid: one.cid } }
    expect(client.inputs('operations.hold.holdNow')).toEqual([call])
    expect(open.value).toBe(false)
  })

  it('is to end a hold by hand, and not one of a lost encoder', async () => {
    const { client, tell } = await show({
      events: [held({ holding: true, byHand: false })],
      answers: { 'operations.hold.holdBack': () => answered(makeHold()) },
    })
    await expect.element(entry(words.holdForm)).toBeVisible()
    expect([entry(words.holdNow).query(), entry(words.backLive).query()]).toEqual([null, null])
    await tell(held({ holding: true, byHand: true }))
    await entry(words.backLive).click()
    await expect.element(said(words.isBack)).toBeVisible()
    expect(client.inputs('operations.hold.holdBack')).toEqual([{ profileId: 'local', call: { cid: one.cid } }])
  })

  it('tells why it was not done', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    await show({ events: [held({})], answers: { 'operations.hold.holdNow': fail } })
    await entry(words.holdNow).click()
    await expect.element(said(spoken({ ...frameWords, ...paletteWords }, 'en').failure.late.sentence)).toBeVisible()
  })

  it('is not offered off air, nor while the service is down', async () => {
    const { tell, pinia } = await show({ channels: [idle], tallies: [tally(idle)], events: [held({})] })
    useChannels(pinia).open(idle.cid)
    await expect.element(entry(words.holdForm)).toBeVisible()
    expect([entry(words.holdNow).query(), entry(words.dump).query()]).toEqual([null, null])
    await tell(tallies([tally(one)]))
    await expect.element(entry(words.holdNow)).toBeVisible()
    await tell(service('restarting'))
    await expect.element(entry(words.holdNow)).not.toBeInTheDocument()
  })

  it('has none of this for a hosted service', async () => {
    await show({ profile: 'hosted-1' })
    await expect.element(entry(words.goLive)).toBeVisible()
    for (const label of [words.holdNow, words.holdForm, words.delayForm, words.targets])
      expect(entry(label).query()).toBeNull()
  })

  it.each<[HoldQuestion, 'holdForm' | 'delayForm' | 'dump']>([
    ['hold', 'holdForm'],
    ['delay', 'delayForm'],
    ['dump', 'dump'],
  ])('opens in Studio what asks first: %s', async (what, name) => {
    const { pinia, router } = await show({ events: [held({ delaySeconds: 10, delayed: 10_000 })] })
    await search().fill(words[name])
    await entry(words[name]).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(useDialogs(pinia).holdAsked).toBe(what)
  })

  it('leads to the targets in Studio', async () => {
    const { pinia, router } = await show()
    await search().fill('restream')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(useDialogs(pinia).targetsAsked).toBe(true)
  })
})

describe('what was asked for by the command palette', () => {
  const { hold } = spoken(holdWords, 'en')
  const { targets } = spoken(targetsWords, 'en')

  it.each<[HoldQuestion, string]>([
    ['hold', hold.form.title],
    ['delay', hold.form.title],
    ['dump', hold.dumpAsk.title],
  ])('is opened by the card of hold and delay, once: %s', async (what, title) => {
    const { pinia } = await mounted(HoldCard, {
      props: { ...on, live: true, disabled: false, recording: false },
      channels: [one],
      answers: { 'operations.hold.hold': () => answered(makeHold({ delaySeconds: 10, delayed: 10_000 })) },
    })
    await expect.element(page.getByRole('region', { name: hold.title })).toBeVisible()
    useDialogs(pinia).holdAsked = what
    await expect.element(page.getByRole('dialog')).toMatchTextContent(title)
    expect(useDialogs(pinia).holdAsked).toBeNull()
  })

  it.each([true, false])('are the targets, or the form of the first one; there are some: %s', async (areSome) => {
    const { pinia } = await mounted(TargetsCard, {
      props: { ...on, live: true, kbps: 6_000 },
      channels: [one],
      answers: {
        'targets.list': () => ({ targets: areSome ? [makeTarget(1)] : [], needs: 0, budget: 0, waiting: 0 }),
      },
    })
    useDialogs(pinia).targetsAsked = true
    if (areSome) await expect.element(page.getByRole('button', { name: targets.add })).toHaveFocus()
    else await expect.element(page.getByRole('dialog')).toMatchTextContent(targets.form.add)
    expect(useDialogs(pinia).targetsAsked).toBe(false)
  })

  it('gives the focus to the targets, and it stays there when the palette is gone', async () => {
    const open = ref(false)
    const screen: Component = {
      render: () => [
        h('button', { type: 'button', onClick: () => (open.value = true) }, 'Here before'),
        h(TargetsCard, { ...on, live: true, kbps: 6_000 }),
        h(CommandPalette, { open: open.value, 'onUpdate:open': (next: boolean) => (open.value = next) }),
      ],
    }
    await mounted(screen, {
      channels: [one],
      tallies: [tally(one)],
      answers: { 'targets.list': () => ({ targets: [makeTarget(1)], needs: 0, budget: 0, waiting: 0 }) },
    })
    await page.getByRole('button', { name: 'Here before' }).click()
    await search().fill('restream')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: targets.add })).toHaveFocus()
  })
})
