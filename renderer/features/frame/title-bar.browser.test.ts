import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { desktopWindow } from '../../testing/desktop-window.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, figures, mounted, service, starting, tallies, tally } from '../../testing/mounted.ts'
import { useOnAir } from '../channels/on-air.ts'
import { useCompanion } from '../../data/companion.ts'
import TitleBar from './title-bar.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const idle = channel(1)
const live = channel(2, { status: 1, name: 'Night <b>show</b> {n} | 深夜' })
const show = async (options: Parameters<typeof mounted>[1] = {}) => {
  let searches = 0
  const shown = await mounted(
    {
      setup: () => {
        const onAir = useOnAir()
        return () => h(TitleBar, { state: onAir.state, onSearch: () => (searches += 1) })
      },
    },
    options,
  )
  return { ...shown, searches: () => searches }
}
const lamp = () => page.getByRole('group', { name: en.tally.label })
const said = () => lamp().getByRole('status')
const switcher = () => page.getByRole('button', { name: new RegExp(`^${en.title.profile}: `) })

describe('the lamp in the title bar', () => {
  it('says that there is no channel yet', async () => {
    await show()
    await expect.element(lamp()).toMatchTextContent(en.tally.none)
  })

  it('says that no channel is open while none is on air', async () => {
    await show({ channels: [idle] })
    await expect.element(lamp()).toMatchTextContent(en.tally.unchosen)
  })

  it('has the channel that is on air with its running time, which goes on', async () => {
    const { pass } = await show({
      channels: [idle, live],
      tallies: [tally(idle), tally(live, { since: began - 61_000 })],
    })
    await expect.element(lamp()).toMatchTextContent('00:01:01')
    await expect.element(said()).toHaveTextContent(`${en.tally.live} ${live.name}`)
    await pass(9_000)
    await expect.element(lamp()).toMatchTextContent('00:01:10')
    // What is read out says nothing of the time, or it would be read out every second.
    await expect.element(said()).toHaveTextContent(`${en.tally.live} ${live.name}`)
  })

  it('says that it is recorded, and for how long', async () => {
    const recorded = { ...live, status: 3 }
    await show({
      channels: [recorded],
      events: [
        {
          type: 'recording',
          profileId: 'local',
          cid: live.cid,
          at: began,
          recording: { state: 'recording', reason: null, since: began - 30_000, recorded: 30_000, bytes: 1, cut: null },
        },
      ],
    })
    await expect.element(said()).toHaveTextContent(`${en.tally.live} ${en.tally.recording} ${live.name}`)
    await expect.element(lamp()).toMatchTextContent('00:00:30')
  })

  it('opens the channel in Studio by its name, with the keyboard too', async () => {
    const { router } = await show({ channels: [live] })
    page
      .getByRole('button', { name: en.title.openStudio.replace('{name}', live.name) })
      .element()
      .focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${live.cid}`)
  })

  it('opens a channel of another profile there, under that profile, and says whose it is', async () => {
    const { router, pinia, tell } = await show({ channels: [idle] })
    await tell(tallies([tally(live)], 'hosted-1'))
    await expect.element(lamp()).toMatchTextContent('Harbour production')
    await lamp().getByRole('button').click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${live.cid}`)
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
  })

  it('says that there is a fault while the service is down, and since when', async () => {
    const { tell, pass } = await show({ channels: [live] })
    await tell(service('restarting'))
    await expect.element(said()).toMatchTextContent(en.tally.fault)
    await expect.element(lamp()).toMatchTextContent('00:00:14')
    await pass(6_000)
    await expect.element(lamp()).toMatchTextContent('00:00:20')
    await tell(service('running'), tallies([tally(live)]))
    await expect.element(said()).toHaveTextContent(`${en.tally.live} ${live.name}`)
  })

  it('says that there is a fault while the page has no line to the app', async () => {
    const { lose } = await show({ channels: [live] })
    await lose()
    await expect.element(said()).toMatchTextContent(en.tally.fault)
  })

  it('has its words in Chinese', async () => {
    await show({ language: 'zh', channels: [live] })
    await expect
      .element(page.getByRole('group', { name: zh.tally.label }).getByRole('status'))
      .toHaveTextContent(`${zh.tally.live} ${live.name}`)
    await expect.element(page.getByRole('button', { name: starting(zh.title.search) })).toBeVisible()
  })
})

describe('the title bar', () => {
  it('opens the palette, and shows its keys', async () => {
    const { searches } = await show()
    await page.getByRole('button', { name: starting(en.title.search) }).click()
    expect(searches()).toBe(1)
    await expect.element(page.getByText('Ctrl K')).toBeVisible()
  })

  it('shows the keys of a Mac there', async () => {
    await show({ about: { platform: 'darwin' } })
    await expect.element(page.getByText('⌘ K')).toBeVisible()
  })

  it('changes the profile, by the keyboard, and marks the one in use', async () => {
    const { pinia } = await show()
    await expect.element(switcher()).toMatchTextContent(en.title.thisComputer)
    switcher().element().focus()
    await userEvent.keyboard('{Enter}')
    const item = (name: string) => page.getByRole('menuitemcheckbox', { name })
    await expect.element(item(en.title.thisComputer)).toHaveAttribute('aria-checked', 'true')
    await item('Harbour production').click()
    await expect.poll(() => useCompanion(pinia).profile?.id).toBe('hosted-1')
    await expect.element(switcher()).toMatchTextContent('Harbour production')
  })

  it('leads to the profiles', async () => {
    const { router } = await show()
    await switcher().click()
    await page.getByRole('menuitem', { name: en.title.manageProfiles }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/profiles')
  })

  it('has caption buttons in a window that has none of the system', async () => {
    const pressed: string[] = []
    const press = (name: string) => () => pressed.push(name)
    Object.assign(window, {
      sidestage: { minimize: press('minimize'), toggleMaximize: press('maximize'), close: press('close') },
    })
    onTestFinished(() => void Reflect.deleteProperty(window, 'sidestage'))
    await show({ about: { shell: 'electron', capabilities: ['windowControls'] } })
    for (const name of ['minimize', 'maximize', 'close'] as const)
      await page.getByRole('button', { name: en.title[name] }).click()
    expect(pressed).toEqual(['minimize', 'maximize', 'close'])
  })

  it('has no caption buttons in a browser', async () => {
    await show({ about: { capabilities: ['windowControls'] } })
    await expect.element(switcher()).toBeVisible()
    expect(page.getByRole('button', { name: en.title.close }).query()).toBeNull()
  })
})

describe('what the title bar says of channels', () => {
  const name = () => lamp().element().querySelector('.name')?.textContent?.trim()
  const figure = (of: string) => lamp().element().querySelector(`[data-figure=${of}]`)?.textContent

  it('is not known where the list of channels could not be read', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    await show({ answers: { 'channels.list': fail } })
    await expect.poll(name).toBe(en.tally.unknown)
  })

  it('counts from the loss of the line to the app', async () => {
    const { lose, pass } = await show({ channels: [live] })
    await lose()
    await pass(7_000)
    await expect.poll(() => figure('running')).toBe('00:00:07')
  })

  it('has no running time of an armed channel, and says that it is armed', async () => {
    const armed = channel(3, { needRecord: true })
    const { router } = await show({ channels: [armed], memory: new Map([['sidestage.opened', armed.cid]]) })
    await expect.element(said()).toHaveTextContent(`${en.tally.armed} ${armed.name}`)
    expect(figure('running')).toBeUndefined()
    await lamp().getByRole('button').click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${armed.cid}`)
  })

  it('has no recorded time of a channel that is not recorded', async () => {
    await show({ channels: [live] })
    await expect.element(said()).toHaveTextContent(`${en.tally.live} ${live.name}`)
    expect(figure('recordingClock')).toBeUndefined()
  })

  it('lets the recorded time stand while the encoder is silent', async () => {
    const { pass, tell } = await show({ channels: [{ ...live, status: 3 }] })
    const recording = { state: 'recording', reason: null, since: began, recorded: 30_000, bytes: 1, cut: null } as const
    await tell({ type: 'recording', profileId: 'local', cid: live.cid, at: began, recording }, figures(live))
    await pass(2_000)
    await expect.poll(() => figure('recordingClock')).toBe('00:00:32')
    await tell(figures(live, { kbps: 0 }))
    await expect.poll(() => figure('recordingClock')).toBe('00:00:30')
  })

  it('says of a channel of this computer whose it is while another profile is used', async () => {
    const { tell } = await show({ profile: 'hosted-1', channels: [idle] })
    await tell(tallies([tally(live)]))
    await expect.element(lamp()).toMatchTextContent(en.title.thisComputer)
  })

  it('says of no profile for a channel of the one in use', async () => {
    await show({ channels: [live] })
    await expect.element(lamp()).not.toMatchTextContent(en.title.thisComputer)
  })

  it('has dots for a name that is not known yet', async () => {
    const { tell } = await show({ channels: [idle] })
    await tell(tallies([tally(live)], 'hosted-1'))
    await expect.poll(name).toBe('…')
  })
})

it.each([
  ['darwin', true],
  ['linux', false],
] as const)('leaves the place of the window buttons of a Mac free: on %s', async (platform, isFree) => {
  desktopWindow()
  await show({ about: { shell: 'electron', platform } })
  const bar = document.querySelector('.title-bar')
  expect(bar?.classList.contains('ps-19')).toBe(isFree)
  expect(bar?.querySelector('.mark') === null).toBe(isFree)
})

it('has the mark of the app in a browser on a Mac', async () => {
  await show({ about: { platform: 'darwin' } })
  expect(document.querySelector('.title-bar .mark')).not.toBeNull()
})
