import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Download, ServiceState } from '../../../contract/rpc/state.ts'
import { makeProfiles, makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, tallies, tally } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import StatusBar from './status-bar.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const { status: words, download: downloadWords } = en
const idle = channel(1)
const live = channel(2, { status: 1, name: 'Live <b>one</b> {n}' })
const recorded = channel(3, { status: 3 })
const callbacks = (waiting: number) => ({ list: [], waiting })
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(StatusBar, {
    ...options,
    answers: { 'recordings.callbacks': () => callbacks(0), ...options.answers },
  })
const bar = () => page.getByRole('contentinfo', { name: words.label })
const state = () => bar().getByRole('status')
const running = (change: Partial<ServiceState> = {}): AppEvent => ({
  type: 'service',
  service: { ...makeService(began, 'full'), ...change },
})
const stopped = (recording: 'stopped' | 'recording'): AppEvent => ({
  type: 'recording',
  profileId: 'local',
  cid: live.cid,
  at: began,
  recording: { state: recording, reason: null, since: null, bytes: 0, cut: null },
})

describe('the service in the status bar', () => {
  it.each([
    ['running', {}, words.running],
    ['starting', { phase: 'starting' }, words.starting],
    ['busy', { busySince: began }, words.busy],
    ['restarting', { phase: 'restarting', attempt: 2, attempts: 5 }, 'Service restarting · attempt 2 of 5'],
    ['stopped', { phase: 'stopped' }, words.stopped],
  ] as const)('is told as it is: %s', async (_case, change, says) => {
    await show({ events: [running(change)] })
    await expect.element(state()).toHaveTextContent(says)
  })

  it('has its addresses while it runs', async () => {
    const { tell } = await show()
    for (const address of ['api 127.0.0.1:8710', 'media 127.0.0.1:8711', 'rtmp 127.0.0.1:1935'])
      await expect.element(page.getByText(address)).toBeInTheDocument()
    await tell(running({ phase: 'restarting', addresses: null }))
    await expect.element(page.getByText(/^api /)).not.toBeInTheDocument()
  })

  it('is not known while the page has no line to the app', async () => {
    const { lose } = await show({ channels: [idle] })
    await expect.element(bar()).toMatchTextContent(words.noneOnAir)
    await lose()
    await expect.element(state()).toHaveTextContent(words.offline)
    // Nobody knows what is on air then.
    await expect.element(bar()).not.toMatchTextContent(words.noneOnAir)
  })

  it('of a hosted profile is named by its host, with the age of what it told last', async () => {
    const { pass, tell } = await show({ profile: 'hosted-1', channels: [idle] })
    await expect.element(state()).toHaveTextContent(words.hosted.replace('{host}', 'live.example.com'))
    await pass(7_000)
    await expect.element(bar()).toMatchTextContent(words.tallyAge.replace('{seconds}', '7'))
    await tell({ ...tallies([tally(idle)], 'hosted-1'), fault: 'poll' } as AppEvent)
    await expect.element(state()).toHaveTextContent(words.hostedWaiting.replace('{host}', 'live.example.com'))
  })

  it('says which port it does not have, and leads to the ports', async () => {
    const { router } = await show({
      events: [running({ notes: [{ listener: 'rtmp', wanted: 1935, used: 1936, holder: 'nginx <x>' }] })],
    })
    const link = page.getByRole('link', { name: /Ports moved: rtmp/ })
    await expect.element(link).toMatchTextContent('rtmp: port 1935 is taken by nginx <x>, 1936 is used')
    await link.click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/computer')
  })

  it.each([
    [{ diskFree: 0, recordingRoom: null }, true],
    [{ diskFree: 2.7e6, recordingRoom: 0 }, true],
    [{ diskFree: 2e9, recordingRoom: 1e9 }, false],
  ])('marks a disk that is full, also when nothing is recorded: %o', async (told, isMarked) => {
    await show({ events: [running(told)] })
    await expect.element(bar()).toMatchTextContent('free')
    const disk = document.querySelector('[data-figure="disk"]')?.parentElement
    expect([disk?.classList.contains('text-armt'), disk?.querySelector('svg') !== null]).toEqual([isMarked, isMarked])
    expect(bar().getByText(words.diskFull).query() !== null).toBe(isMarked)
  })

  it('says how much of the disk is free', async () => {
    const { tell } = await show({ events: [running({ diskFree: 4.2e9 })] })
    await expect.element(bar()).toMatchTextContent(words.disk.replace('{size}', '4.20 GB'))
    await tell(running({ diskFree: null }))
    await expect.element(bar()).not.toMatchTextContent('Disk')
  })
})

describe('what is on air in the status bar', () => {
  it.each([
    ['no channel', [], words.noChannels],
    ['none of them', [idle], words.noneOnAir],
  ] as const)('is none, and why: %s', async (_case, channels, says) => {
    await show({ channels })
    await expect.element(bar()).toMatchTextContent(says)
  })

  it('is counted, and each opens in Studio from the list, with the keyboard', async () => {
    const { router } = await show({ channels: [idle, live, recorded] })
    const onAir = page.getByRole('button', { name: words.onAir.replace('{n}', '2') })
    onAir.element().focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('menuitem', { name: `${live.name} · ${en.title.thisComputer}` })).toBeVisible()
    await userEvent.keyboard('{Home}{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toMatch(/^\/studio\//)
  })

  it('of several profiles is told with its profile, and opens under it', async () => {
    const { router, pinia, tell } = await show({ channels: [idle] })
    await tell(tallies([tally(live)], 'hosted-1'))
    await page.getByRole('button', { name: words.onAir.replace('{n}', '1') }).click()
    await page.getByRole('menuitem', { name: /Harbour production$/ }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${live.cid}`)
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
  })

  it('leads to the channels that are on air', async () => {
    const { router } = await show({ channels: [live] })
    await page.getByRole('button', { name: words.onAir.replace('{n}', '1') }).click()
    await page.getByRole('menuitem', { name: words.showChannels }).click()
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/channels?show=onAir')
  })

  it('is told as before the fault while nobody knows', async () => {
    const { tell } = await show({ channels: [live] })
    await tell(running({ phase: 'restarting', since: began, addresses: null }))
    await expect.element(page.getByRole('button', { name: words.onAirBefore.replace('{n}', '1') })).toBeVisible()
  })

  it('is told with how many of it are recorded, which leads to the recordings', async () => {
    const { router } = await show({ channels: [live, recorded] })
    await page.getByRole('link', { name: words.recording.replace('{n}', '1') }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings')
  })

  it('says at once what is not recorded any more, and no longer when it is again', async () => {
    const { tell } = await show({ channels: [live] })
    expect(page.getByRole('alert').query()).toBeNull()
    await tell(stopped('stopped'))
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.unrecorded.replace('{n}', '1'))
    await tell(stopped('recording'))
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })
})

describe('callbacks in the status bar', () => {
  it.each([
    [1, '1 callback waiting'],
    [3, '3 callbacks waiting'],
  ] as const)('that wait are counted, and lead to the recordings: %s', async (waiting, says) => {
    const { client, router } = await show({ answers: { 'recordings.callbacks': () => callbacks(waiting) } })
    const link = page.getByRole('link', { name: says })
    await expect.element(link).toBeVisible()
    expect(client.inputs('recordings.callbacks')[0]).toEqual({ profileId: 'local', limit: 500 })
    await link.click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings')
  })

  it('are not asked for at a hosted profile', async () => {
    const { client } = await show({ profile: 'hosted-1' })
    await expect.element(state()).toBeVisible()
    expect(client.inputs('recordings.callbacks')).toEqual([])
  })
})

describe('the clock in the status bar', () => {
  it('is that of the service’s zone, and goes on', async () => {
    const { pass } = await show()
    await expect.element(bar()).toMatchTextContent(/16:00:0\d\s*UTC\+8$/)
    await pass(60_000)
    await expect.element(bar()).toMatchTextContent(/16:01:0\d\s*UTC\+8$/)
  })
})

describe('the desktop window in the status bar', () => {
  const fetching = (change: Partial<Download>): AppEvent => ({
    type: 'download',
    download: { phase: 'downloading', received: 25, total: 100, reason: null, ...change },
  })
  const open = (change: Partial<Download>, options: Parameters<typeof mounted>[1] = {}) =>
    show({ about: { capabilities: ['desktopDownload'] }, events: [fetching(change)], ...options })
  const cancel = () => page.getByRole('button', { name: downloadWords.cancel })

  it.each([
    ['connecting', { phase: 'connecting' }, downloadWords.connecting],
    ['in percent', {}, 'Desktop window: 25 %'],
    ['in bytes where the whole is not known', { total: null }, 'Desktop window: 25 B'],
    ['done', { phase: 'done' }, downloadWords.done],
    [
      'failed',
      { phase: 'failed', reason: { code: 'failed', params: { system: 'no <route>' } } },
      'Desktop window not fetched: no <route>',
    ],
  ] as const)('is fetched, and told how: %s', async (_case, change, says) => {
    await open(change)
    await expect.element(page.getByText(says)).toBeVisible()
  })

  it('is called off by its button, once', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { client } = await open({}, { answers: { 'app.cancelDownload': () => answer.promise } })
    await cancel().click()
    await expect.element(cancel()).toHaveAttribute('aria-disabled', 'true')
    await cancel().click({ force: true })
    expect(client.inputs('app.cancelDownload').length).toBe(1)
    answer.resolve(undefined)
    await expect.element(cancel()).toHaveAttribute('aria-disabled', 'false')
  })

  it('can be called off again when that was refused', async () => {
    await open(
      {},
      {
        answers: {
          'app.cancelDownload': () => {
            throw failed()
          },
        },
      },
    )
    await cancel().click()
    await expect.element(cancel()).toHaveAttribute('aria-disabled', 'false')
  })

  it('is not told of where it is not fetched', async () => {
    await open({}, { about: { capabilities: [] } })
    await expect.element(state()).toBeVisible()
    expect(page.getByText(/^Desktop window/).query()).toBeNull()
  })
})

it('the status bar has its words in Chinese', async () => {
  await show({ language: 'zh', channels: [idle] })
  await expect.element(page.getByRole('contentinfo', { name: zh.status.label })).toBeVisible()
  await expect.element(page.getByRole('status')).toHaveTextContent(zh.status.running)
  await expect.element(page.getByText(zh.status.noneOnAir)).toBeVisible()
})

describe('parts of the status bar that depend on the profile', () => {
  const figure = (name: string) => document.querySelector(`[data-figure=${name}]`)

  it('are not shown of this computer while a hosted profile is used', async () => {
    const notes = [{ listener: 'rtmp' as const, wanted: 1935, used: 1936, holder: null }]
    await show({ profile: 'hosted-1', events: [running({ diskFree: 4.2e9, notes })] })
    await expect.element(state()).toBeVisible()
    expect([figure('address'), figure('ports'), figure('disk')]).toEqual([null, null, null])
  })

  it('have no age of tallies on this computer', async () => {
    await show({ channels: [idle] })
    expect(figure('tallyAge')).toBeNull()
  })

  it('have no age of tallies before the first ones came, and none below zero', async () => {
    const { tell } = await show({ profile: 'hosted-1', channels: [idle] })
    await tell({ ...tallies([], 'hosted-1'), at: null } as AppEvent)
    await expect.poll(() => figure('tallyAge')).toBeNull()
    await tell({ ...tallies([], 'hosted-1'), at: began + 5_000 } as AppEvent)
    await expect.poll(() => figure('tallyAge')?.textContent).toBe(words.tallyAge.replace('{seconds}', '0'))
  })

  it('have the name of a hosted profile whose address cannot be read', async () => {
    const profiles = makeProfiles('full').map((each) => (each.kind === 'hosted' ? { ...each, liveUrl: '' } : each))
    await show({ profile: 'hosted-1', profiles })
    await expect.element(state()).toHaveTextContent(words.hosted.replace('{host}', 'Harbour production'))
  })

  it('name a moved port without its holder where nobody knows it', async () => {
    const notes = [
      { listener: 'rtmp' as const, wanted: 1935, used: 1936, holder: null },
      { listener: 'api' as const, wanted: 8710, used: 8720, holder: 'nginx' },
    ]
    await show({ events: [running({ notes })] })
    const link = page.getByRole('link', { name: /Ports moved: rtmp, api/ })
    await expect.element(link).toMatchTextContent('rtmp: port 1935 is taken, 1936 is used')
    await expect.element(link).toMatchTextContent('api: port 8710 is taken by nginx, 8720 is used')
  })

  it('do not say what is on air of channels that nobody listed yet', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    await show({ answers: { 'channels.list': fail } })
    expect(figure('onAir')).toBeNull()
  })

  it('do not say that nothing is on air while the service is down', async () => {
    const { tell } = await show({ channels: [idle] })
    await expect.poll(() => figure('onAir')?.textContent).toBe(words.noneOnAir)
    await tell(service('restarting'))
    await expect.poll(() => figure('onAir')).toBeNull()
  })

  it('name channels on air without their profile where there is only one profile', async () => {
    await show({ channels: [live], profiles: makeProfiles('full').slice(0, 1) })
    await page.getByRole('button', { name: words.onAir.replace('{n}', '1') }).click()
    await expect.element(page.getByRole('menuitem', { name: live.name, exact: true })).toBeVisible()
  })

  it('count neither recordings nor lost ones of a word that holds no more', async () => {
    const { tell } = await show({ channels: [live, recorded] })
    await tell(stopped('stopped'))
    await expect.poll(() => figure('unrecorded')).not.toBeNull()
    await tell(service('restarting'))
    await expect.poll(() => [figure('recorded'), figure('unrecorded')]).toEqual([null, null])
  })

  it('lead from what is not recorded to the recordings', async () => {
    const { router, tell } = await show({ channels: [live] })
    await tell(stopped('stopped'))
    await page.getByRole('alert').getByRole('link').click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings')
  })

  it('mark a fault of the service, and neither its start nor its run', async () => {
    const { tell } = await show()
    const isMarked = () => figure('service')?.classList.contains('text-armt')
    expect(isMarked()).toBe(false)
    await tell(running({ phase: 'starting' }))
    expect(isMarked()).toBe(false)
    await tell(running({ busySince: began }))
    expect(isMarked()).toBe(true)
    await tell(running({ phase: 'stopped' }))
    expect(isMarked()).toBe(true)
  })

  it('mark a channel in the list that was on air before the fault', async () => {
    const { tell } = await show({ channels: [live] })
    const mark = () => page.getByRole('menuitem').first().element().querySelector('span > svg')?.parentElement
    await page.getByRole('button', { name: words.onAir.replace('{n}', '1') }).click()
    await expect.poll(() => mark()?.classList.contains('text-airt')).toBe(true)
    await tell(service('restarting'))
    await expect.poll(() => mark()?.classList.contains('text-armt')).toBe(true)
  })
})
