import { inBackground } from '../background.ts'
import { watchPath, type WatchState } from '../../contract/watch.ts'
import { createChat } from './chat.ts'
import { element, icon } from './element.ts'
import { textWithLinks } from './links.ts'
import { createPicture } from './picture.ts'
import { channel, root } from './place.ts'
import { count, language, say } from './words.ts'
import '../styles/not-started.css'
import '../styles/tokens.css'
import './watch.css'

/** In ms; longer in a hidden page. */
const every = 4000
const hiddenEvery = 20_000
/** In ms; random, as all viewers are notified of a change at the same time. */
const changedWithin = 1000

function main(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  const light = matchMedia('(prefers-color-scheme: light)')
  const paint = (): void => void (document.documentElement.className = light.matches ? 'light' : 'dark')
  light.addEventListener('change', paint)
  paint()

  const picture = createPicture()
  const chat = createChat(channel, () => lookIn(Math.random() * changedWithin))
  const bar = element('div', { class: 'bar' })
  const lamp = element('span', { class: 'lamp', role: 'status' })
  const title = element('h1')
  const viewers = element('span', { class: 'viewers' })
  const since = element('span', { class: 'since' })
  const announcement = element('section', { class: 'announcement', 'aria-label': say('announcement') })
  picture.node.append(lamp)
  const about = element(
    'div',
    { class: 'about' },
    element('div', { class: 'title' }, title, viewers, since),
    announcement,
  )
  const page = element('main', {}, element('div', { class: 'left-side' }, picture.node, about), chat.node)
  document.querySelector('.not-started')?.remove()
  document.body.append(bar, page)

  let announced: string | undefined
  let last: WatchState | undefined
  const show = (state: WatchState): void => {
    last = state
    const tally = state.disabled ? 'disabled' : state.live ? 'onAir' : 'idle'
    document.body.dataset['tally'] = tally
    if (lamp.textContent !== say(tally)) lamp.textContent = say(tally)
    title.textContent = state.title
    document.title = state.title
    // Players connect after the publisher: do not show 0 viewers.
    viewers.replaceChildren(
      ...(state.live && state.viewers > 0
        ? [icon('people', 16), say('watching', { count: count(state.viewers) })]
        : []),
    )
    since.textContent =
      state.since === undefined
        ? ''
        : say('since', {
            time: new Date(state.since).toLocaleTimeString(language === 'zh' ? 'zh-CN' : 'en-GB', {
              hour: '2-digit',
              minute: '2-digit',
            }),
          })
    const text = state.room?.announcement ?? ''
    announcement.hidden = text === ''
    if (text !== announced) {
      announced = text
      announcement.replaceChildren(
        element('p', { class: 'caption' }, say('announcement')),
        element('bdi', { class: 'said' }, ...textWithLinks(text)),
      )
    }
    picture.show(state)
    chat.show(state)
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async (): Promise<void> => {
    clearTimeout(timer)
    const answer = await fetch(`${root}${watchPath}${channel}/state`).catch(() => undefined)
    if (answer?.status === 404) {
      if (last) {
        const { room: _, ...rest } = last
        show({ ...rest, live: false })
      }
      document.body.dataset['tally'] = 'none'
      return page.replaceChildren(
        element('p', { class: 'nothing', role: 'alert' }, say(last ? 'channelRemoved' : 'noChannel')),
      )
    }
    const state = answer?.ok ? ((await answer.json().catch(() => undefined)) as WatchState | undefined) : undefined
    if (state) show(state)
    else {
      picture.show(undefined)
      viewers.replaceChildren()
    }
    lookIn(document.hidden ? hiddenEvery : every)
  }
  function lookIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => inBackground(look()), ms)
  }
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) inBackground(look())
  })
  inBackground(look())
}

main()
