import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp, type App } from 'vue'
import { createRouter, createWebHashHistory } from 'vue-router'
import { inBackground } from './background.ts'
import AppRoot from './app.vue'
import { hearPageFaults, hearRouteFaults } from './fault-handlers.ts'
import { needWordsKey } from './data/need-words.ts'
import { createLanguages, languageOf, wordsKey } from './locales/i18n.ts'
import { wordsOf } from './locales/screens.ts'
import { createConnection, type Timers } from './data/connection.ts'
import type { AuthMethod } from './data/client.ts'
import { keptLanguage } from './data/kept-language.ts'
import { joinedOf } from './data/joined-address.ts'
import { createJoinedSession, joinedSessionKey } from './data/joined-session.ts'
import { createLazyClient } from './data/lazy-client.ts'
import { watchLine } from './data/line-watch.ts'
import { portOpener, socketOpener } from './data/openers.ts'
import { followScreens } from './data/shown-screens.ts'
import { later } from './data/timer.ts'
import { routes } from './routes.ts'
import { followEvents } from './events.ts'
import { connectionKey } from './data/connection-key.ts'
import { createSeatSession, seatSessionKey } from './data/seat-session.ts'
import { useChannels } from './features/channels/channels.ts'
import { useFaults } from './features/frame/faults.ts'
import { useCompanion } from './data/companion.ts'
import { useLive } from './features/channels/live.ts'
import { servicesKey, type Services } from './data/services.ts'
import './styles/main.css'

const memory: Services['memory'] = {
  read: (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      // Without storage, choices last as long as the page.
      return null
    }
  },
  write: (key, value) => {
    try {
      localStorage.setItem(key, value)
    } catch {
      // As above.
    }
  },
}

/** Kept apart, except the look: ids are those of another computer. */
const apart = (joined: string): Services['memory'] => {
  const own = (key: string): string => (key.startsWith('sidestage.seat.') ? key : `${key}.${joined}`)
  return { read: (key) => memory.read(own(key)), write: (key, value) => memory.write(own(key), value) }
}

function start(page: Window): App {
  const app = createApp(AppRoot)
  const pinia = createPinia()
  app.use(pinia)
  hearPageFaults(app, page, (fault) => useFaults(pinia).heard(fault))
  const { plugin: languages, words } = createLanguages()
  app.use(languages)
  app.provide(wordsKey, words)
  app.provide(needWordsKey, words.need)

  const shell = page.sidestage
  const comesIn = (authMethod: AuthMethod): void => {
    useCompanion(pinia).authMethod = authMethod
  }
  const joinedId = joinedOf(page.location.search)
  const joined = joinedId === null ? null : createJoinedSession(page, joinedId, () => Date.now(), comesIn)
  if (joined) app.provide(joinedSessionKey, joined)
  const timers: Timers = { after: later }
  const connection = createConnection(
    joined?.opener ?? (shell ? portOpener(page, shell) : socketOpener(page, comesIn)),
    timers,
    {
      state: (state) => {
        useCompanion(pinia).lineIs(state)
        if (state === 'lost') useLive(pinia).markStale()
      },
      opened: (client, signal) => {
        inBackground(followEvents(client, signal, pinia, () => connection.restart()))
        watchLine(
          () => client.app.about().then(() => useCompanion(pinia).heard()),
          signal,
          timers,
          () => connection.restart(),
        )
      },
    },
  )
  const kept = joinedId === null ? memory : apart(joinedId)
  app.provide(servicesKey, {
    rpc: createLazyClient(() => connection.client),
    now: () => Date.now(),
    memory: kept,
  })
  app.provide(connectionKey, connection)

  // A credential is removed from the address before the router reads it.
  const authMethod = createSeatSession({
    location: page.location,
    history: page.history,
    fetch: (path, init) => page.fetch(path, init),
  })
  page.addEventListener('popstate', () => authMethod.readAddress())
  app.provide(seatSessionKey, authMethod)
  if (joined || shell) comesIn(joined ? 'account' : 'link')
  connection.start()
  const router = createRouter({ history: createWebHashHistory(), routes })
  router.beforeEach(async (to) => {
    await words.need(wordsOf(to.name))
  })
  hearRouteFaults(router, (path) => useFaults(pinia).miss(path))
  app.use(ui)
  // In English if its words fail to load.
  const spoken = words.speak(languageOf(keptLanguage(kept), page.navigator.languages)).catch(() => undefined)
  inBackground(
    spoken.then(() => {
      app.use(router)
      app.mount('#app')
    }),
  )
  if (shell)
    followScreens(page, (route, profileId) => {
      // After a change of profile, Studio shows the channel opened last.
      const cid = /^\/studio\/(\w+)$/.exec(route)?.[1]
      if (cid !== undefined) useChannels(pinia).open(cid)
      if (profileId !== null) useCompanion(pinia).choose(profileId)
      if (joined) page.location.assign(`/#${route}`)
      else inBackground(spoken.then(() => router.isReady()).then(() => router.push(route)))
    })

  const companion = useCompanion(pinia)
  // At the full second, like clocks.
  const tick = (): void => {
    companion.tick()
    setTimeout(tick, 1_000 - (Date.now() % 1_000))
  }
  tick()
  page.addEventListener('online', () => connection.retry())
  page.document.addEventListener('visibilitychange', () => {
    if (!page.document.hidden) connection.retry()
  })
  return app
}

start(window)
