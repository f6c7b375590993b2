import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { errorTable } from '../../../contract/errors.ts'
import { useCompanion } from '../../data/companion.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { failed } from '../../testing/memory-client.ts'
import {
  channel,
  mounted,
  service,
  settingsWith,
  starting,
  tallies,
  tally,
  type MountOptions,
} from '../../testing/mounted.ts'
import { marker } from '../../testing/recorded-values.ts'
import { reachWithoutAddress, shareAnswers } from '../../testing/share-values.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { useLive } from '../channels/live.ts'
import { useObs } from '../obs/obs.ts'
import CommandPalette from './command-palette.vue'
import { spoken } from '../../format/languages.ts'
import { shareWords } from '../share/words.ts'
import { frameWords } from './words.ts'
import { paletteWords } from './words-palette.ts'

const en = spoken({ ...frameWords, ...paletteWords }, 'en')
const zh = spoken({ ...frameWords, ...paletteWords }, 'zh')

const { palette: words } = en
const { share } = spoken(shareWords, 'en')
const one = channel(1, { status: 3, needRecord: true })
const other = channel(2)
const show = async (options: MountOptions = {}) => {
  const open = ref(true)
  const part: Component = {
    render: () => h(CommandPalette, { open: open.value, 'onUpdate:open': (next: boolean) => (open.value = next) }),
  }
  const on = await mounted(part, { channels: [one, other], tallies: [tally(one), tally(other)], ...options })
  return { ...on, open }
}
const entry = (name: string | RegExp) => page.getByRole('option', { name })
const search = () => page.getByRole('textbox').or(page.getByRole('combobox')).first()

describe('the command palette', () => {
  it('opens the channel that is found by its name, and closes', async () => {
    const { router, open } = await show()
    await search().fill('Channel 2')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
    expect(open.value).toBe(false)
  })

  it('copies the key of the channel that Studio shows, without showing it', async () => {
    const { client } = await show({ answers: { 'push.copy': () => ({ text: 'the-key' }) } })
    await search().fill('copy stream key')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('push.copy')).toEqual([{ profileId: 'local', cid: one.cid, part: 'key' }])
    await expect.poll(() => navigator.clipboard.readText()).toBe('the-key')
    await expect.element(page.getByText(words.keyCopied).first()).toBeVisible()
    expect(page.getByText('the-key').query()).toBeNull()
  })

  it('marks the second of a channel that is recorded, and says why it could not', async () => {
    const { client } = await show({
      answers: {
        'recordings.mark': () => {
          throw failed({ kind: 'code', code: 500 })
        },
      },
    })
    await search().fill('bookmark')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('recordings.mark')).toEqual([{ profileId: 'local', cid: one.cid, label: '' }])
    expect(page.getByText(words.marked).query()).toBeNull()
  })

  it('saves the last minute of a channel on air as a clip, found by what people call it', async () => {
    const { client } = await show({
      answers: { 'recordings.takeClip': () => ({ vid: 1, name: 'n', begin: 1, duration: 60_000, bytes: 1 }) },
    })
    await search().fill('highlight')
    await entry(starting(words.clip)).click()
    await expect
      .poll(() => client.inputs('recordings.takeClip'))
      .toEqual([{ profileId: 'local', cid: one.cid, seconds: 60, name: null }])
    await expect.element(page.getByText(words.clipped, { exact: true }).first()).toBeVisible()
  })

  it('has no marking where no channel is in Studio', async () => {
    await show({ channels: [other], tallies: [tally(other)] })
    await search().fill('bookmark')
    await expect.element(page.getByText(words.empty.replace('{query}', 'bookmark'))).toBeVisible()
  })

  it('looks for nothing that is longer than any name, which would hold up the page', async () => {
    await show()
    await search().fill('channels '.repeat(8))
    await expect.element(entry(/^Channels/).first()).toBeVisible()
    await search().fill('channels '.repeat(9))
    await expect.poll(() => page.getByRole('option').elements().length).toBe(0)
  })

  it.each(['mark', 'marker'])('says by "%s" that nothing is recorded, where that is so', async (query) => {
    const live = channel(2, { status: 1 })
    const { client } = await show({ channels: [live], tallies: [tally(live)] })
    await search().fill(query)
    await entry(starting(words.mark)).click()
    await expect.element(page.getByText(words.notRecorded, { exact: true }).first()).toBeVisible()
    expect(client.inputs('recordings.mark')).toEqual([])
  })

  it('switches the theme', async () => {
    const { client } = await show({ answers: { 'app.changeSettings': (change) => settingsWith(change) } })
    await search().fill('night')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ theme: 'light' }])
  })

  it('asks for the name of a new channel', async () => {
    const { pinia } = await show()
    await entry(new RegExp(`^${words.create}`)).click()
    expect(useDialogs(pinia).question).toEqual({ kind: 'create' })
  })

  it('goes to a screen', async () => {
    const { router } = await show()
    await search().fill('Callbacks')
    await entry(new RegExp(`^${words.section.receivers}`)).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/receivers')
  })
})

const found = async (label: string) => {
  await search().fill(label)
  return entry(starting(label))
}
const pick = async (label: string): Promise<void> => {
  await (await found(label)).click()
}
const nothing = async (label: string): Promise<void> => {
  await search().fill(label)
  await expect.element(page.getByText(words.empty.replace('{query}', label))).toBeVisible()
}
const said = (text: string) => page.getByText(text, { exact: true }).first()
const withoutClipboard = (error: Error): void => {
  const refused = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(error)
  onTestFinished(() => refused.mockRestore())
}

describe('screens in the command palette', () => {
  it.each([
    [words.screen.channels, '/channels'],
    [words.screen.studio, '/studio'],
    [words.screen.recordings, '/recordings'],
    [words.screen.room, '/room'],
    [words.screen.join, '/join'],
    [words.screen.messaging, '/messaging'],
    [words.screen.accounts, '/messaging/accounts'],
    [words.screen.teams, '/messaging/teams'],
    [words.screen.console, '/console'],
    [words.section.profiles, '/settings/profiles'],
    [words.section.receivers, '/settings/receivers'],
    [words.section.room, '/settings/room'],
    [words.section.keys, '/settings/keys'],
    [words.section.appearance, '/settings/appearance'],
  ])('are each opened by their own entry: %s', async (label, path) => {
    const { router, open } = await show({ path: '/settings/about' })
    await search().fill(label)
    await page.getByRole('option', { name: label, exact: true }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(path)
    expect(open.value).toBe(false)
  })
})

describe('commands on the channel of Studio', () => {
  it('copy the push URL', async () => {
    const { client } = await show({ answers: { 'push.copy': () => ({ text: 'rtmp://the-url' }) } })
    await pick(words.copyUrl)
    await expect.element(said(words.urlCopied)).toBeVisible()
    expect(client.inputs('push.copy')).toEqual([{ profileId: 'local', cid: one.cid, part: 'url' }])
    expect(await navigator.clipboard.readText()).toBe('rtmp://the-url')
  })

  it('say that the clipboard did not take the key', async () => {
    withoutClipboard(new DOMException('refused', 'NotAllowedError'))
    await show({ answers: { 'push.copy': () => ({ text: 'the-key' }) } })
    await pick(words.copyKey)
    await expect.element(said(en.word.notCopied)).toBeVisible()
    expect(page.getByText(words.keyCopied).query()).toBeNull()
  })

  it('say why the service did not give the key, in the language of the page', async () => {
    const fail = () => {
      throw failed({ kind: 'code', code: 617 })
    }
    await show({ language: 'zh', answers: { 'push.copy': fail } })
    await search().fill(zh.palette.copyKey)
    await entry(starting(zh.palette.copyKey)).click()
    await expect.element(said(errorTable[617].sentence.zh)).toBeVisible()
    await expect.element(said(errorTable[617].next.zh)).toBeVisible()
  })

  it('say why a second was not marked', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    await show({ answers: { 'recordings.mark': fail } })
    await pick(words.mark)
    await expect.element(said(en.failure.late.sentence)).toBeVisible()
    await expect.element(said(en.failure.late.next)).toBeVisible()
  })

  it('mark a second, and have it in the log of the broadcast', async () => {
    const made = marker(1, 2)
    const { pinia } = await show({ answers: { 'recordings.mark': () => made } })
    await pick(words.mark)
    await expect.element(said(words.marked)).toBeVisible()
    const log = useLive(pinia).logOf('local', one.cid)
    expect(log.map(({ kind, at }) => [kind, at])).toEqual([['marked', made.at]])
  })

  it('do not mark while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await nothing('bookmark')
  })

  it('do not mark a channel of a hosted service', async () => {
    await show({ profile: 'hosted-1' })
    await nothing('bookmark')
  })

  it('ask for the go-live check in the Studio of the channel', async () => {
    const { pinia, router } = await show()
    await pick(words.goLive)
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(useDialogs(pinia).goLiveAsked).toBe(true)
  })

  it('open the sheet of who can watch in the Studio of the channel, which is found by what it is for', async () => {
    const { pinia, router } = await show()
    await search().fill('tunnel')
    await entry(starting(words.share)).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(useDialogs(pinia).shareAsked).toBe('begin')
  })

  it.each([
    ['en', 'phone', 'shareVisit', 'visit'],
    ['zh', '手机', 'shareVisit', 'visit'],
    ['en', 'next broad', 'upcoming', 'next'],
    ['zh', '下次', 'upcoming', 'next'],
  ] as const)('open the part of the sheet that is searched for (%s, %s)', async (language, query, label, part) => {
    const { pinia } = await show({ language })
    await search().fill(query)
    await entry(starting((language === 'en' ? words : zh.palette)[label])).click()
    await expect.poll(() => useDialogs(pinia).shareAsked).toBe(part)
  })

  it.each(['en', 'zh'] as const)('find the targets by what they are for (%s)', async (language) => {
    const { pinia } = await show({ language })
    const { targets } = language === 'en' ? words : zh.palette
    await search().fill(language === 'en' ? 'send' : '发送')
    await entry(starting(targets)).click()
    await expect.poll(() => useDialogs(pinia).targetsAsked).toBe(true)
  })

  it('copy the watch link', async () => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    await show({ answers: shareAnswers() })
    await pick(words.copyLink)
    await expect.poll(() => written.mock.calls).toEqual([[expect.stringMatching(new RegExp(`/watch/${one.cid}$`))]])
  })

  it.each([
    [shareAnswers({ closed: true }), share.link.offHere],
    [shareAnswers({}, reachWithoutAddress), share.link.missing.replace('{why}', share.why.noAddress)],
  ])('do not copy a watch link that cannot work, and say why', async (answers, why) => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    await show({ answers })
    await pick(words.copyLink)
    await expect.element(said(why)).toBeVisible()
    expect(written).not.toHaveBeenCalled()
  })

  it('have no watch link of a hosted service', async () => {
    await show({ profile: 'hosted-1' })
    await nothing(words.copyLink)
  })

  it('have the name of the channel beside them', async () => {
    await show()
    await expect.element(await found(words.copyKey)).toMatchTextContent(one.name)
  })

  it('are not there without a channel', async () => {
    await show({ channels: [], tallies: [] })
    for (const label of [words.copyKey, words.copyUrl, words.goLive]) await nothing(label)
  })
})

describe('OBS in the command palette', () => {
  const obs = (kind: Parameters<typeof makeObs>[0]): AppEvent => ({ type: 'obs', obs: makeObs(kind, Date.now()) })

  it('is set up and started in Studio where it does not stream', async () => {
    const { pinia, router } = await show({ events: [obs('idle')] })
    await nothing(words.obsStop)
    await pick(words.obsGoLive)
    await expect.poll(() => router.currentRoute.value.path).toBe('/studio')
    expect(useObs(pinia).wish).toBe('goLive')
  })

  it('is stopped where it streams, in the Studio that is open', async () => {
    const path = `/studio/${other.cid}`
    const { pinia, router, open } = await show({ path, events: [obs('live')] })
    await nothing(words.obsGoLive)
    await pick(words.obsStop)
    await expect.poll(() => useObs(pinia).wish).toBe('stop')
    expect([router.currentRoute.value.path, open.value]).toEqual([path, false])
  })

  it.each(['off', 'refused', 'absent'] as const)('is neither started nor stopped without a line: %s', async (kind) => {
    await show({ events: [obs(kind)] })
    await nothing(words.obsGoLive)
    await nothing(words.obsStop)
  })

  it('has its connection opened in Studio', async () => {
    const { pinia, router } = await show()
    await pick(words.obsConnection)
    await expect.poll(() => router.currentRoute.value.path).toBe('/studio')
    expect(useObs(pinia).wish).toBe('connection')
  })
})

describe('changes by the command palette', () => {
  it('take the other theme each time, as it is when they are pressed', async () => {
    const { client, open } = await show({ answers: { 'app.changeSettings': (change) => settingsWith(change) } })
    await pick(words.toggleTheme)
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ theme: 'light' }])
    document.documentElement.classList.remove('dark')
    open.value = true
    await pick(words.toggleTheme)
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ theme: 'light' }, { theme: 'dark' }])
  })

  it.each([
    ['en', 'zh', words.toggleLanguage],
    ['zh', 'en', zh.palette.toggleLanguage],
  ] as const)('take the other language: from %s', async (language, wished, label) => {
    const { client } = await show({ language, answers: { 'app.changeSettings': (change) => settingsWith(change) } })
    await pick(label)
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ language: wished }])
  })

  it('use another profile, and do not offer the one in use', async () => {
    const { pinia } = await show()
    const use = (name: string) => words.switchTo.replace('{name}', name)
    await nothing(use(en.title.thisComputer))
    await pick(use('Harbour production'))
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
  })

  it('use this computer again', async () => {
    const { pinia } = await show({ profile: 'hosted-1' })
    await pick(words.switchTo.replace('{name}', en.title.thisComputer))
    expect(useCompanion(pinia).profile?.id).toBe('local')
  })

  it('read the list of channels again', async () => {
    const { client, open } = await show()
    const before = client.inputs('channels.list').length
    await pick(words.refresh)
    await expect.poll(() => client.inputs('channels.list').length).toBe(before + 1)
    expect(open.value).toBe(false)
  })
})

describe('the list of the command palette', () => {
  it('has a name, and the key of what has one', async () => {
    await show()
    await expect.element(page.getByRole('listbox')).toHaveAccessibleName(words.title)
    const key = entry(starting(words.create)).element().querySelector('kbd')
    expect(key?.textContent?.trim()).toBe('N')
  })

  it('finds a channel by the begin of its id', async () => {
    const { router } = await show()
    await search().fill(other.cid.slice(0, 8))
    await entry(starting(other.name)).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
  })

  it('has the channels of the profile as they are told', async () => {
    const { client, tell } = await show()
    client.answer({ 'channels.list': () => ({ channels: [one, other, channel(3)], total: 3 }) })
    await tell({ type: 'channels', profileId: 'local' }, tallies([tally(one)]))
    await expect.element(await found(channel(3).name)).toBeVisible()
  })

  it('finds a command by what people call it', async () => {
    await show()
    await search().fill('everything')
    await expect.element(entry(starting(words.goLive))).toBeVisible()
    expect(page.getByRole('option').elements()).toHaveLength(1)
  })
})
