import UApp from '@nuxt/ui/components/App.vue'
import { useToast } from '@nuxt/ui/composables'
import ui from '@nuxt/ui/vue-plugin'
import { createPinia, type Pinia } from 'pinia'
import { onTestFinished, vi } from 'vitest'
import { createApp, h, nextTick, type Component } from 'vue'
import { createMemoryHistory, createRouter, type Router, type RouteRecordRaw } from 'vue-router'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { About, Channel, Figures, Profile, Settings, Tally } from '../../contract/rpc/state.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { inBackground } from '../background.ts'
import { useCompanion } from '../data/companion.ts'
import { connectionKey } from '../data/connection-key.ts'
import type { Connection } from '../data/connection.ts'
import { joinedSessionKey, type createJoinedSession } from '../data/joined-session.ts'
import { createSeatSession, seatSessionKey } from '../data/seat-session.ts'
import { servicesKey } from '../data/services.ts'
import { followEvents } from '../events.ts'
import { useChannels } from '../features/channels/channels.ts'
import { needWordsKey } from '../data/need-words.ts'
import { createLanguages, wordsKey } from '../locales/i18n.ts'
import type { Group } from '../locales/groups.ts'
import { groups } from '../locales/groups.ts'
import type { Language } from '../format/languages.ts'
import { routes } from '../routes.ts'
import '../styles/main.css'
import { answered, makeHold } from './fake-hold.ts'
import { makeFigures, makeProfiles, makeService } from './fake-state.ts'
import { createMemoryClient, type Answers, type MemoryClient } from './memory-client.ts'

/** The time at which a mounted page begins. */
export const began = Date.UTC(2026, 10, 26, 8, 0, 0)

/** What a page is mounted with; everything has a usual value. */
export interface MountOptions {
  readonly props?: Readonly<Record<string, unknown>>
  /** Answers to procedures; those that stand in the usual ones are replaced. */
  readonly answers?: Answers
  readonly channels?: readonly Channel[]
  readonly tallies?: readonly Tally[]
  /** The profile that is chosen; `hosted-1` is a hosted service. */
  readonly profile?: 'local' | 'hosted-1'
  readonly profiles?: readonly Profile[]
  readonly settings?: Partial<Settings>
  readonly about?: Partial<About>
  readonly language?: Language
  /** The address within the page. */
  readonly path?: string
  /** Events that come after the first ones. */
  readonly events?: readonly AppEvent[]
  /** How a moderator's page signs in; without it there is no network. */
  readonly seatSession?: ReturnType<typeof createSeatSession>
  /** The page shows a room of another computer, and signs in there by this. */
  readonly joinedSession?: ReturnType<typeof createJoinedSession>
  readonly connection?: Pick<Connection, 'retry' | 'restart'>
  /** What the browser remembers of earlier visits; what the page remembers is written to it. */
  readonly memory?: Map<string, string>
  /** The component is the whole page: it has the frame of the kit itself, and shows `screen` with a name for each screen. */
  readonly isRoot?: boolean
  /** Runs before the component is there, with the stores of the page. */
  readonly before?: (pinia: Pinia) => void
}

/** A component in a page of its own. */
export interface Mounted {
  readonly client: MemoryClient
  readonly pinia: Pinia
  readonly router: Router
  /** Sends events, and waits until the page has them. */
  tell(...events: AppEvent[]): Promise<void>
  /** Lets time pass on the page's clock; timers go on as they are. */
  pass(milliseconds: number): Promise<void>
  /** The line to the companion is lost. */
  lose(): Promise<void>
}

/** The settings of a new app, dark. */
export const usualSettings: Settings = {
  theme: 'dark',
  language: 'en',
  mutePresets: null,
  roomKeys: {},
  recording: firstRecordingDefaults,
  globalKeys: {},
  notices: [],
  startAtLogin: false,
  closeToTray: false,
}

/** The settings after a change of usual ones, as `app.changeSettings` answers. */
export const settingsWith = (...changes: readonly object[]): Settings =>
  Object.assign({}, usualSettings, ...changes) as Settings

/** Stands for a screen: a whole page shows its name, a part nothing. */
const stubOf = (name: string | null): Component => ({ render: () => (name === null ? null : h('p', `screen ${name}`)) })

/** Waits until what was sent and answered has come to the page. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve))
  await nextTick()
}

/** Finds what starts with a text, where more may follow it, as a key cap or a count. */
export const starting = (text: string): RegExp => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)

/** A channel of the embedded service, idle and not recorded. */
export const channel = (number: number, change: Partial<Channel> = {}): Channel => ({
  cid: String(number).repeat(32).slice(0, 32),
  name: `Channel ${number}`,
  status: 0,
  created: began - number * 86_400_000,
  needRecord: false,
  format: 'mp4',
  duration: 120,
  filename: '',
  ...change,
})

/** What is told of a channel: not on air unless its status says so. */
export const tally = ({ cid, status }: Channel, change: Partial<Tally> = {}): Tally => ({
  cid,
  status,
  since: status === 1 || status === 3 ? began - 60_000 : null,
  viewers: 0,
  keyExpires: began + 20 * 86_400_000,
  ...change,
})

/** The tallies of a profile as the companion tells them. */
export const tallies = (list: readonly Tally[], profileId = 'local'): AppEvent => ({
  type: 'tallies',
  profileId,
  at: Date.now(),
  source: profileId === 'local' ? 'event' : 'poll',
  fault: null,
  tallies: [...list],
})

/** What the ingest measures of a channel now. */
export const figures = (
  { cid }: Channel,
  change: Partial<Figures> | null = {},
  profileId = 'local',
): Extract<AppEvent, { type: 'figures' }> => ({
  type: 'figures',
  profileId,
  cid,
  at: Date.now(),
  figures: change && { ...makeFigures(began, 0, 'full'), ...change },
})

/** Components side by side, as the window has a screen and the dialogs over it. */
export const withParts = (...parts: readonly Component[]): Component => ({
  render: () => parts.map((part) => h(part)),
})

/** A component with its properties. */
export const withProps = (part: Component, props: Readonly<Record<string, unknown>>): Component => ({
  render: () => h(part, props),
})

/** The embedded service, restarting or running again. */
export const service = (phase: 'running' | 'restarting'): AppEvent => ({
  type: 'service',
  service: { ...makeService(began, phase === 'running' ? 'full' : 'fault') },
})

/** Shows a component in a page with the stores, words, styles and events of the real one, and a companion in memory. It ends with the test. */
export async function mounted(component: Component, options: MountOptions = {}): Promise<Mounted> {
  vi.setSystemTime(began)
  const { channels = [], language = 'en', profile = 'local' } = options
  const client = createMemoryClient({
    'app.about': () => ({
      version: '0.1.0',
      shell: 'browser',
      platform: 'linux',
      shellReason: null,
      seat: null,
      ...options.about,
      capabilities: [...(options.about?.capabilities ?? [])],
    }),
    'app.open': () => undefined,
    'targets.list': () => ({ targets: [], needs: 0, budget: 0, waiting: 0 }),
    'operations.hold.hold': () => answered(makeHold()),
    'channels.list': () => ({ channels: [...channels], total: channels.length }),
    ...options.answers,
  })
  const host = document.createElement('div')
  host.id = 'app'
  document.body.append(host)
  document.documentElement.classList.add('dark')

  const app = createApp({
    render: () =>
      options.isRoot
        ? h(component, options.props)
        : h(UApp, { tooltip: { delayDuration: 0 } }, () => h(component, options.props)),
  })
  const faults: unknown[] = []
  app.config.errorHandler = (error) => {
    faults.push(error)
  }
  app.config.warnHandler = (message, _instance, trace) => {
    faults.push(new Error(`${message}${trace}`))
  }
  const pinia = createPinia()
  app.use(pinia)
  const { plugin, words } = createLanguages()
  // A word that is missing would stand on the screen as its key.
  plugin.global.setMissingHandler((locale, key) => {
    faults.push(new Error(`there is no word ${key} in ${locale}`))
    return key
  })
  await words.speak(language)
  await words.need(Object.keys(groups) as Group[])
  app.use(plugin)
  app.provide(wordsKey, words)
  app.provide(needWordsKey, words.need)
  const memory = options.memory ?? new Map<string, string>()
  memory.set('sidestage.profile', profile)
  app.provide(servicesKey, {
    rpc: client.rpc,
    now: () => Date.now(),
    memory: { read: (key) => memory.get(key) ?? null, write: (key, value) => void memory.set(key, value) },
  })
  app.provide(
    seatSessionKey,
    options.seatSession ??
      createSeatSession({ location, history, fetch: () => Promise.reject(new Error('a test has no network')) }),
  )
  if (options.joinedSession) app.provide(joinedSessionKey, options.joinedSession)
  app.provide(connectionKey, options.connection ?? { retry: () => undefined, restart: () => undefined })
  const router = createRouter({
    history: createMemoryHistory(),
    routes: routes.map(({ path, name, redirect }): RouteRecordRaw =>
      redirect === undefined
        ? { path, name: name ?? path, component: stubOf(options.isRoot ? String(name) : null) }
        : { path, redirect },
    ),
  })
  app.use(router)
  app.use(ui)
  const signal = new AbortController()
  onTestFinished(() => {
    signal.abort()
    // The kit keeps them for all pages of a browser.
    app.runWithContext(() => useToast().clear())
    app.unmount()
    host.remove()
    document.body.replaceChildren()
    vi.useRealTimers()
    const wrong = [...client.faults, ...faults]
    if (wrong.length > 0) throw new AggregateError(wrong, wrong.map(String).join('\n'))
  })

  const companion = useCompanion(pinia)
  companion.lineIs('open')
  inBackground(followEvents(client.rpc, signal.signal, pinia, () => undefined))
  await router.push(options.path ?? '/')
  await settled()
  const settings: Settings = { ...usualSettings, language, ...options.settings }
  const tell = async (...events: AppEvent[]): Promise<void> => {
    for (const event of events) client.push(event)
    await settled()
  }
  await tell(
    service('running'),
    { type: 'profiles', profiles: [...(options.profiles ?? makeProfiles('full'))] },
    { type: 'settings', settings },
    tallies(options.tallies ?? channels.map((each) => tally(each)), profile),
    ...(options.events ?? []),
  )
  await useChannels(pinia).refresh()
  options.before?.(pinia)
  app.mount(host)
  await settled()

  return {
    client,
    pinia,
    router,
    tell,
    pass: async (milliseconds) => {
      vi.setSystemTime(Date.now() + milliseconds)
      companion.tick()
      await settled()
    },
    lose: async () => {
      companion.lineIs('lost')
      await settled()
    },
  }
}
