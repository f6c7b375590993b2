import axe from 'axe-core'
import { h, ref } from 'vue'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Target, TargetState } from '../../../contract/rpc/targets.ts'
import { spoken } from '../../format/languages.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import { makeTarget, makeTargets } from '../../testing/fake-targets.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, settled } from '../../testing/mounted.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { useHolds } from '../hold/holds.ts'
import { frameWords } from '../frame/words.ts'
import { usualAddress } from './presets.ts'
import TargetsCard from './targets-card.vue'
import { targetsWords } from './words.ts'

const { targets: words } = spoken(targetsWords, 'en')
const en = spoken(frameWords, 'en')
const one = channel(1, { status: 1 })
const at = { profileId: 'local', cid: one.cid }
const show = (
  board: { readonly targets: readonly Target[]; readonly needs?: number; readonly budget?: number },
  { live = true, ...options }: Parameters<typeof mounted>[1] & { readonly live?: boolean } = {},
) =>
  mounted(TargetsCard, {
    props: { ...at, live, kbps: live ? 6_000 : null },
    channels: [one],
    ...options,
    answers: {
      'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, ...board, targets: [...board.targets] }),
      'targets.start': () => undefined,
      'targets.stop': () => undefined,
      'targets.remove': () => undefined,
      'targets.add': () => ({ targetId: 9, key: 'keychain' }),
      'targets.update': () => ({ key: 'none' }),
      ...options.answers,
    },
  })
const keychainless = makeProfiles('full').map((each) =>
  each.kind === 'local' ? { ...each, secret: 'session' as const } : each,
)
const told = (targetId: number, change: Partial<TargetState> | null): AppEvent => {
  const { state, since, kbps, dropped, reconnects, tries, nextTry, reason, answer } = makeTarget(targetId, change ?? {})
  const target = { state, since, kbps, dropped, reconnects, tries, nextTry, reason, answer }
  return { type: 'target', ...at, at: began, targetId, target: change && target }
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const row = (id: number) => page.getByRole('listitem').filter({ has: page.getByText(id === 1 ? 'Twitch' : 'Campus') })
const dialog = () => page.getByRole('dialog')
const violations = async (): Promise<string[]> =>
  (
    await axe.run(document.body, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'],
      rules: { 'color-contrast': { enabled: true } },
    })
  ).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join('; ')}`)

describe('the targets of a channel', () => {
  it('are one line while there are none, which opens the form', async () => {
    await show({ targets: [] })
    await button(words.none).click()
    await expect.element(dialog()).toMatchTextContent(words.form.add)
    await expect.element(dialog()).toMatchTextContent('goes to that server only')
  })

  it('open the form of one that is asked for, at its key where that was refused', async () => {
    const { pinia } = await show({ targets: [makeTarget(1), makeTarget(2, { name: 'Campus', state: 'refused' })] })
    await expect.element(page.getByText('Campus')).toBeVisible()
    useDialogs(pinia).targetAsked = { targetId: 2 }
    await expect.element(dialog().getByLabelText(words.form.key, { exact: true })).toBeVisible()
    await expect.element(dialog()).toMatchTextContent('Campus')
    expect(useDialogs(pinia).targetAsked).toBeNull()
  })

  it('of a push that cannot be asked about are not known', async () => {
    const { lose } = await show({
      targets: [makeTarget(1, { state: 'sending', kbps: 6_004 }), makeTarget(2, { name: 'Campus', state: 'refused' })],
    })
    await expect.element(row(1)).toMatchTextContent('6,004 kbps')
    await lose()
    for (const each of [row(1), row(2)]) await expect.element(each).toMatchTextContent(en.tally.unknown)
    expect(row(1).element().textContent).not.toMatch(/Sending|kbps/)
    expect(row(2).element().textContent).not.toContain('Refused')
    expect(page.getByText(/sending/).query()).toBeNull()
    expect(await violations()).toEqual([])
  })

  it.each<[Target['state'], Partial<Target>, string[]]>([
    ['sending', { kbps: 6_004, dropped: 3, reconnects: 1 }, ['Sending', '6,004 kbps', '3 dropped · 1 reconnect']],
    ['connecting', { since: began }, ['Connecting', 'since 16:00:00']],
    [
      'connecting',
      { reason: 'noAnswer', tries: 3, since: began },
      ['Connecting', 'no answer, failing since 16:00:00, try 3'],
    ],
    ['stalled', { kbps: 900, dropped: 1_811 }, ['Stalled', '900 kbps', '1,811 dropped']],
    ['stalled', { kbps: 0, since: began }, ['Stalled', 'takes nothing since 16:00:00']],
    [
      'retrying',
      { reason: 'noAnswer', tries: 2, nextTry: began + 8_000, since: began },
      ['Trying again', 'no answer, failing since 16:00:00, try 2, next in 8 s'],
    ],
    // The clock of the page is up to a second behind; no wait is longer than 30 s.
    [
      'retrying',
      { reason: 'noAnswer', tries: 6, nextTry: began + 30_900, since: began },
      ['Trying again', 'no answer, failing since 16:00:00, try 6, next in 30 s'],
    ],
    [
      'retrying',
      { reason: 'stalled', tries: 1, nextTry: began + 2_000, since: began },
      ['Trying again', 'takes too little, failing since 16:00:00, try 1, next in 2 s'],
    ],
    [
      'retrying',
      { reason: 'closed', tries: 0, nextTry: began + 1_000, since: began },
      ['Trying again', 'closed by the server since 16:00:00, next try in 1 s'],
    ],
    ['refused', { answer: 'NetStream.Publish.BadName' }, ['Refused', 'It says: NetStream.Publish.BadName']],
    ['refused', { answer: null }, ['Refused', words.refusedUnsaid]],
    ['noKey', { hasKey: false, keyEnd: null }, ['Key needed', words.noKeyNext]],
    ['stopped', { since: began }, ['Stopped', 'since 16:00:00']],
    ['off', { start: 'hand' }, ['Not sent', words.byHand]],
  ])('say that one is %s, with what is known of it', async (state, change, texts) => {
    await show({ targets: [makeTarget(1, { ...change, state })] })
    for (const text of texts) await expect.element(row(1)).toMatchTextContent(text)
    expect(await violations()).toEqual([])
  })

  it('send nothing while the push is held without a picture, and say so', async () => {
    const { pinia, tell } = await show({ targets: [makeTarget(1, { state: 'waiting', kbps: 0, since: began })] })
    await expect.element(row(1)).toMatchTextContent('since 16:00:00')
    useHolds(pinia).put(at.profileId, at.cid, makeHold({ holding: true, byHand: true, noPicture: true }))
    await expect.element(page.getByText('0 of 1 sending')).toBeVisible()
    await expect.element(row(1)).toMatchTextContent(words.state.waiting)
    await expect.element(row(1)).toMatchTextContent(words.noPicture)
    expect(row(1).element().textContent).not.toContain('kbps')
    await tell(told(1, { state: 'sending', since: began + 1 }))
    await expect.element(page.getByText('1 of 1 sending')).toBeVisible()
  })

  it('say before a push that a key is missing, and ask for it in the row', async () => {
    await show({ targets: [makeTarget(1, { state: 'off', hasKey: false, keyEnd: null })] }, { live: false })
    await expect.element(row(1)).toMatchTextContent(words.noKeyNext)
    await button(`${words.enterKey} Twitch`).click()
    await expect.element(dialog().getByLabelText(words.form.key, { exact: true })).toBeVisible()
  })

  it.each([
    ['Publishing to this stream key is not allowed.', words.refusedNext],
    ['NetStream.Publish.BadName', words.refusedNext],
    ['This stream key is already in use', words.refusedSaid],
    ['Your account is suspended', words.refusedSaid],
  ])('that refused with “%s” say what helps against that', async (answer, next) => {
    await show({ targets: [makeTarget(1, { state: 'refused', answer })] })
    await expect.element(page.getByText(`It says: ${answer}`)).toHaveAttribute('title', next)
  })

  it('open their form at the key only where the server named no other reason', async () => {
    const suspended = makeTarget(1, { state: 'refused', answer: 'Your account is suspended' })
    const { pinia } = await show({ targets: [suspended] })
    await expect.element(page.getByText('Twitch')).toBeVisible()
    useDialogs(pinia).targetAsked = { targetId: 1 }
    await expect.element(dialog().getByLabelText(words.form.name, { exact: true })).toHaveFocus()
  })

  it('follow what is told of them, and are read again when the list changes', async () => {
    const { client, tell } = await show({ targets: [makeTarget(1)] })
    await expect.element(page.getByText('1 of 1 sending')).toBeVisible()
    expect(client.inputs('targets.list')).toHaveLength(1)
    await tell(told(1, { state: 'retrying', reason: 'closed', tries: 1, since: began }))
    await expect.element(row(1)).toMatchTextContent('closed by the server, failing since 16:00:00, try 1')
    client.answer({ 'targets.list': () => ({ targets: [], needs: 0, budget: 0, waiting: 0 }) })
    await tell({ type: 'targets', ...at }, told(1, null))
    await expect.element(button(words.none)).toBeVisible()
  })

  it('keep their order whatever becomes of them', async () => {
    const names = ['One', 'Two', 'Three', 'Four']
    const { tell } = await show({ targets: names.map((name, at) => makeTarget(at + 1, { name })) })
    const shown = () =>
      page
        .getByRole('listitem')
        .elements()
        .map((item) => item.querySelector('[data-name]')?.textContent)
    await expect.poll(shown).toEqual(names)
    await tell(told(3, { state: 'retrying', reason: 'closed', tries: 1, since: began }))
    await expect.element(page.getByText('3 of 4 sending')).toBeVisible()
    expect(shown()).toEqual(names)
  })

  it('are started and stopped one by one, by the keyboard too', async () => {
    const campus = makeTarget(2, { name: 'Campus', preset: 'custom', state: 'stopped' })
    const { client } = await show({ targets: [makeTarget(1), campus] })
    await button('Stop Twitch').click()
    await expect.poll(() => client.inputs('targets.stop')).toEqual([{ ...at, targetId: 1 }])
    ;(button('Start Campus').element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('targets.start')).toEqual([{ ...at, targetId: 2 }])
  })

  it('say why one could not be started', async () => {
    await show(
      { targets: [makeTarget(1, { state: 'refused' })] },
      {
        answers: {
          'targets.start': () => {
            throw failed({ kind: 'late' })
          },
        },
      },
    )
    await button('Start Twitch').click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('are switched on for the next push before it begins', async () => {
    const { client } = await show(makeTargets('ready', began), { live: false })
    await expect.element(row(1)).toMatchTextContent('Ready')
    await page.getByRole('switch', { name: 'Send to YouTube with every push' }).click()
    await expect.poll(() => client.inputs('targets.update')).toEqual([{ ...at, targetId: 2, start: 'push' }])
  })

  it('are not changed while the service is down, and say why', async () => {
    const { client, tell } = await show({ targets: [makeTarget(1)] })
    await tell(service('restarting'))
    await expect.element(button('Stop Twitch')).toHaveAttribute('title', en.blocker.down)
    await button('Stop Twitch').click({ force: true })
    expect(client.inputs('targets.stop')).toEqual([])
  })

  it.each([
    [12_000, 0, 'Upload needed: 12.0 Mbps'],
    [12_000, 20_000, 'Upload needed: 12.0 of 20.0 Mbps'],
    [19_000, 20_000, 'Targets need 19.0 of 20.0 Mbps of upload: little is left for viewers.'],
    [24_000, 20_000, 'Targets need 24.0 Mbps and the upload limit is 20.0 Mbps: stop one, or lower the bitrate.'],
  ])('need %i of %i kbit/s of upload, which is said before it is too much', async (needs, budget, text) => {
    await show({ targets: [makeTarget(1)], needs, budget })
    await expect.element(page.getByText(text)).toBeVisible()
  })

  it('need more of it when the bitrate rises, also from nothing as a push begins', async () => {
    const kbps = ref<number | null>(null)
    let needs = 0
    const { client } = await mounted(() => h(TargetsCard, { ...at, live: true, kbps: kbps.value }), {
      channels: [one],
      answers: { 'targets.list': () => ({ needs, budget: 0, waiting: 0, targets: [makeTarget(1)] }) },
    })
    await expect.element(row(1)).toBeVisible()
    needs = 6_000
    kbps.value = 6_000
    await expect.element(page.getByText('Upload needed: 6.0 Mbps')).toBeVisible()
    const asked = client.inputs('targets.list').length
    kbps.value = 6_100
    await settled()
    expect(client.inputs('targets.list')).toHaveLength(asked)
  })

  it('need what is read again until it is measured, though the bitrate stays as it is', async () => {
    const kbps = ref<number | null>(6_000)
    let needs = 0
    await mounted(() => h(TargetsCard, { ...at, live: true, kbps: kbps.value }), {
      channels: [one],
      answers: { 'targets.list': () => ({ needs, budget: 0, waiting: 0, targets: [makeTarget(1)] }) },
    })
    await expect.element(row(1)).toBeVisible()
    kbps.value = 6_100
    await settled()
    expect(page.getByText(/Upload needed/).query()).toBeNull()
    needs = 6_050
    kbps.value = 6_200
    await expect.element(page.getByText('Upload needed: 6.0 Mbps')).toBeVisible()
  })

  it('are removed after a question', async () => {
    const { client } = await show({ targets: [makeTarget(1)] })
    await button(/Twitch/)
      .nth(1)
      .click()
    await page.getByRole('menuitem', { name: words.remove }).click()
    await expect.element(dialog()).toMatchTextContent('Remove Twitch?')
    expect(client.inputs('targets.remove')).toEqual([])
    await dialog().getByRole('button', { name: words.ask.action }).click()
    await expect.poll(() => client.inputs('targets.remove')).toEqual([{ ...at, targetId: 1 }])
  })
})

describe('the form of a target', () => {
  const field = (name: string) => dialog().getByLabelText(name, { exact: true })

  it('has the usual server of each service, where its key is, and sends what was entered', async () => {
    const { client } = await show({ targets: [] })
    await button(words.none).click()
    for (const [name, preset] of [
      ['YouTube', 'youtube'],
      ['Kick', 'kick'],
      ['Facebook', 'facebook'],
      ['Twitch', 'twitch'],
    ] as const) {
      await dialog().getByRole('button', { name, exact: true }).click()
      await expect.element(field(words.form.server)).toHaveValue(usualAddress[preset])
      await expect.element(dialog()).toMatchTextContent(words.form.where[preset])
    }
    await field(words.form.key).fill(' live_1_x ')
    expect(await violations()).toEqual([])
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('targets.add'))
      .toEqual([{ ...at, name: 'Twitch', preset: 'twitch', url: usualAddress.twitch, key: 'live_1_x', start: 'push' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('hides the key, and shows what is typed on request', async () => {
    await show({ targets: [] }, { live: false, channels: [channel(1)] })
    await button(words.none).click()
    await field(words.form.key).fill('live_1')
    await expect.element(field(words.form.key)).toHaveAttribute('type', 'password')
    await dialog().getByRole('button', { name: words.form.show }).click()
    await expect.element(field(words.form.key)).toHaveAttribute('type', 'text')
    await dialog().getByRole('button', { name: words.form.hide }).click()
    await expect.element(field(words.form.key)).toHaveAttribute('type', 'password')
  })

  it('keeps what was typed when another service is chosen, and warns of an open way', async () => {
    await show({ targets: [] })
    await button(words.none).click()
    await field(words.form.server).fill('rtmp://ingest.example/app')
    await dialog().getByRole('button', { name: words.form.custom, exact: true }).click()
    await expect.element(field(words.form.server)).toHaveValue('rtmp://ingest.example/app')
    await expect.element(dialog()).toMatchTextContent(words.form.open)
  })

  it.each(['', 'https://a.example/app', 'rtmps://', 'rtmps://a.example', 'rtmps://u:p@a.example/app'])(
    'does not send the address "%s"',
    async (address) => {
      const { client } = await show({ targets: [] })
      await button(words.none).click()
      await field(words.form.server).fill(address)
      await dialog().getByRole('button', { name: words.form.addIt, exact: true }).click()
      await expect.element(dialog()).toMatchTextContent(words.form.serverFault)
      expect(client.inputs('targets.add')).toEqual([])
    },
  )

  it('asks for the key of a target without one, and says where it is kept where that is not the keychain', async () => {
    const { client } = await show(
      { targets: [makeTarget(1, { state: 'noKey', hasKey: false, keyEnd: null })] },
      { answers: { 'targets.update': () => ({ key: 'refused' }) } },
    )
    await button(`${words.enterKey} Twitch`).click()
    await expect.element(field(words.form.key)).toHaveFocus()
    await userEvent.keyboard('k-1{Enter}')
    await expect.poll(() => client.inputs('targets.update')).toEqual([{ ...at, targetId: 1, key: 'k-1' }])
    await expect.element(page.getByText(/The key of Twitch could not be kept/)).toBeVisible()
  })

  it('names every target whose key could not be kept', async () => {
    const keyless = { state: 'noKey', hasKey: false, keyEnd: null } as const
    await show(
      { targets: [makeTarget(1, keyless), makeTarget(2, { ...keyless, name: 'Campus' })] },
      { answers: { 'targets.update': () => ({ key: 'refused' }) } },
    )
    for (const name of ['Twitch', 'Campus']) {
      await button(`${words.enterKey} ${name}`).click()
      await expect.element(field(words.form.key)).toHaveFocus()
      await userEvent.keyboard('k-1{Enter}')
      await expect.element(dialog()).not.toBeInTheDocument()
    }
    await expect.element(page.getByText(/The key of Twitch, Campus could not be kept/)).toBeVisible()
  })

  it('says, also after a reload, that keys are forgotten where there is no keychain', async () => {
    await show({ targets: [makeTarget(1)] }, { profiles: keychainless })
    await expect.element(page.getByText(words.kept.session)).toBeVisible()
  })

  it('does not say so with a keychain', async () => {
    await show({ targets: [makeTarget(1)] })
    await expect.element(page.getByText('Twitch')).toBeVisible()
    expect(page.getByText(words.kept.session).query()).toBeNull()
    await button(words.add).click()
    await expect.element(dialog()).toMatchTextContent(words.form.kept)
  })

  it('says that keys of a service elsewhere go there too', async () => {
    const profiles = makeProfiles('full').map((each) => ({ ...each, extended: true }))
    await show({ targets: [] }, { profiles, profile: 'hosted-1' })
    await page.getByRole('button', { name: /Also send to/ }).click()
    await expect.element(dialog()).toMatchTextContent(words.form.leadThere)
  })

  it('says of one without a key that a key was kept only until the end, where there is no keychain', async () => {
    const keyless = makeTarget(1, { state: 'noKey', hasKey: false, keyEnd: null, keyGone: true })
    await show({ targets: [keyless] }, { profiles: keychainless })
    await expect.element(row(1)).toMatchTextContent(words.keyGoneSession)
    await button(`${words.enterKey} Twitch`).click()
    await expect.element(dialog()).toMatchTextContent(words.form.keptSession)
    expect(dialog().element().textContent).not.toContain(words.form.kept)
  })

  it('says that another server needs its own key, and keeps the present one otherwise', async () => {
    await show({ targets: [makeTarget(1)] })
    await button(/Twitch/)
      .nth(1)
      .click()
    await page.getByRole('menuitem', { name: words.edit }).click()
    await expect.element(dialog()).toMatchTextContent('The present key ends in k7Qx')
    await field(words.form.server).fill('rtmps://other.example/app')
    await expect.element(dialog()).toMatchTextContent(words.form.keyAgain)
  })

  it('says before it is added what one more would need', async () => {
    await show({ targets: [makeTarget(1)], needs: 12_000, budget: 15_000 })
    await button(words.add).click()
    await settled()
    await expect.element(dialog()).toMatchTextContent('about 18.0 of 15.0 Mbps')
  })
})
