import { inBackground } from '../background.ts'
import { pageHeader, watchPath, type WatchState } from '../../contract/watch.ts'
import { createAge } from './age.ts'
import { onAwake } from './awake.ts'
import { createChat } from './chat.ts'
import { element, icon, iconButton, redraw } from './element.ts'
import { chatPage, embedOf, isFramed, keepsCookies, mayWait, stateQuery, wholePage } from './embed.ts'
import { followTheme } from './theme.ts'
import { createGate } from './gate.ts'
import { sayGoodbye } from './goodbye.ts'
import { listenForKeys } from './keys.ts'
import { textWithLinks } from './links.ts'
import { createNextTime } from './next-time.ts'
import { createPicture } from './picture.ts'
import { pageId } from './page-id.ts'
import { channel, root } from './place.ts'
import { count, language, say, timeOfDay } from './words.ts'
import '../styles/not-started.css'
import '../styles/tokens.css'
import './watch.css'
import './picture.css'
import './chat.css'
import './layout.css'

/** In ms; longer in a hidden page. */
const every = 4000
const hiddenEvery = 20_000
/** In ms: off air the next question is answered when a show begins. From question to question, and from an answer. */
const waitEvery = 500
const waitAfter = 50
/** In ms, while viewers see a held picture, which what is said over it must not outlast. */
const heldEvery = 1000
/** In ms, of a page that waits its turn, which the service forgets after 15 s; in a hidden page too. */
const turnEvery = 5000
/** In ms, of the one page that is next. */
const nextEvery = 1000
/** For an answer, in ms; less after a sleep, when old connections may be dead. */
const patience = 10_000
const awakePatience = 3000
/** In ms: behind a gate nothing else shows that the service does not answer. */
const gatePatience = 4000
/** In ms; random, as all viewers are notified of a change at the same time. */
const changedWithin = 1000

function main(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  followTheme()

  const { body } = document
  const part = embedOf(location)
  if (part !== undefined) body.dataset['embed'] = part
  const changed = (): void => lookIn(Math.random() * changedWithin)
  const nextTime = createNextTime()
  let last: WatchState | undefined
  /** Undefined before the first answer was waited for. */
  let isAnswered: boolean | undefined
  let isPlaying = false
  const chatToggle = iconButton('chat', '', 'option chat-toggle')
  const theatre = iconButton('theatre', '', 'option theatre-toggle')
  const linkOut = element(
    'a',
    { class: 'link-out', href: wholePage, target: '_blank', rel: 'noopener', title: say('openPage') },
    icon('popOut', 16),
    element('span', {}, say('openPage')),
  )
  const age = createAge()
  const picture =
    part === 'chat'
      ? undefined
      : createPicture({
          buttons: [chatToggle],
          lastButtons: [theatre],
          offer: nextTime.node,
          age,
          broke: changed,
          lost: () => unheard(),
          playing: (now) => {
            isPlaying = now
            drawTally()
          },
        })
  const readsOnly = part !== undefined && isFramed() && !keepsCookies()
  const chat = part === 'picture' ? undefined : createChat(channel, changed, readsOnly)
  const gate = createGate(
    () => look(),
    () => picture?.actions.sound.hear(),
  )
  const bar = element('div', { class: 'bar' })
  const lamp = element('span', { class: 'lamp', role: 'status' })
  const title = element('h1')
  const called = element('h2', { class: 'broadcast-title' })
  const viewers = element('span', { class: 'viewers' })
  const since = element('span', { class: 'since' })
  const announcement = element('section', { class: 'announcement', 'aria-label': say('announcement') })
  const head = element(
    'header',
    { class: 'head' },
    element('span', { class: 'mark', 'aria-hidden': 'true' }),
    title,
    lamp,
    element('p', { class: 'facts' }, since, viewers),
    nextTime.bell,
  )
  const leftSide = element('div', { class: 'left-side' }, ...(picture ? [picture.node] : []), called, announcement)
  const page = element('main', {}, head, leftSide, ...(chat ? [chat.node] : []), gate.node)
  if (part !== undefined) (picture?.stage ?? chat?.head)?.append(linkOut)
  document.querySelector('.not-started')?.remove()
  body.append(bar, page)

  const hideChat = (isHidden: boolean): void => {
    body.toggleAttribute('data-chat-hidden', isHidden)
    redraw(chatToggle, 'chat', `${say(isHidden ? 'showChat' : 'hideChat')} (C)`)
    chatToggle.setAttribute('aria-expanded', String(!isHidden))
  }
  const toggleChat = (): void => hideChat(!body.hasAttribute('data-chat-hidden'))
  const toTheatre = (isThere: boolean): void => {
    body.toggleAttribute('data-theatre', isThere)
    redraw(theatre, 'theatre', `${say(isThere ? 'leaveTheatre' : 'theatre')} (T)`)
  }
  const toggleTheatre = (): void => toTheatre(!body.hasAttribute('data-theatre'))
  let hadRoom = false
  chatToggle.hidden = !chat
  hideChat(false)
  toTheatre(false)
  chatToggle.addEventListener('click', toggleChat)
  theatre.addEventListener('click', toggleTheatre)
  for (const one of [title, called]) one.addEventListener('click', () => one.classList.toggle('whole'))
  if (chat) {
    chat.hide.hidden = part === 'chat'
    chat.popOut.hidden = part !== undefined
    chat.hide.addEventListener('click', () => {
      hideChat(true)
      chatToggle.focus()
    })
    chat.popOut.addEventListener('click', () => {
      window.open(chatPage, '_blank', 'noopener,popup,width=400,height=720')
      hideChat(true)
    })
  }
  if (picture) {
    const { actions } = picture
    const keyed = (act: () => void) => (): void => {
      act()
      actions.sound.restore()
      actions.wake()
    }
    listenForKeys(
      {
        ' ': keyed(actions.play),
        m: keyed(actions.sound.toggle),
        f: keyed(actions.full),
        p: keyed(actions.inPicture),
        t: keyed(toggleTheatre),
        ...(chat && { c: keyed(toggleChat) }),
        escape: () => toTheatre(false),
      },
      () => picture.node.isConnected && page.dataset['gate'] === undefined,
    )
  }

  let announced: string | undefined
  let isInside = false
  const putOut = (): void => {
    if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined)
    if (document.pictureInPictureElement) document.exitPictureInPicture().catch(() => undefined)
  }
  /** What the last answer said is not known any more when neither another one nor a picture comes. */
  function drawTally(): void {
    if (isAnswered === undefined) return
    const known = isAnswered || isPlaying ? last : undefined
    const isEnding = known?.live === false && !known.disabled && picture?.isFinishing() === true
    const tally = !known ? 'unknown' : known.disabled ? 'disabled' : isEnding ? 'ending' : known.live ? 'onAir' : 'idle'
    body.dataset['tally'] = tally
    if (lamp.textContent !== say(tally)) lamp.textContent = say(tally)
    if (last) document.title = tally === 'onAir' ? `${say('onAir')} · ${last.title}` : last.title
    const begun = known?.since
    since.textContent =
      begun !== undefined ? say('since', { time: timeOfDay(begun) }) : isEnding ? say('restPlays') : ''
  }
  function unheard(): void {
    isAnswered = false
    drawTally()
    nextTime.unheard()
    viewers.replaceChildren()
  }
  const show = (state: WatchState): void => {
    last = state
    isAnswered = true
    title.textContent = state.title
    called.textContent = state.broadcastTitle ?? ''
    called.hidden = state.broadcastTitle === undefined
    // Players connect after the publisher: do not show 0 viewers.
    viewers.replaceChildren(
      ...(state.live && state.viewers > 0
        ? [icon('people', 16), say('watching', { count: count(state.viewers) })]
        : []),
    )
    const text = state.room?.announcement ?? ''
    announcement.hidden = text === ''
    if (text !== announced) {
      announced = text
      announcement.replaceChildren(
        element('p', { class: 'caption' }, icon('announcement', 16), say('announcement')),
        element('bdi', { class: 'said' }, ...textWithLinks(text)),
      )
    }
    const isGated = state.gate !== undefined
    if (isGated) page.dataset['gate'] = state.gate
    else delete page.dataset['gate']
    // Who had a chat is told that it is gone; without one from the start the picture has its place.
    if (state.room) hadRoom = true
    body.dataset['room'] = state.room ? 'some' : hadRoom ? 'gone' : 'none'
    if (isGated && isInside) putOut()
    const { room: _room, ...rest } = state
    picture?.show(isGated ? { ...rest, live: false } : state)
    drawTally()
    chat?.show(isGated ? rest : state)
    nextTime.show(state)
    if (isGated) nextTime.node.hidden = true
    leftSide.hidden = isGated || !picture
    if (chat) chat.node.hidden = isGated
    gate.show(state, isInside)
    isInside = !isGated
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Infinity
  let asking: AbortController | undefined
  async function look(within: number = patience, waits = false): Promise<void> {
    clearTimeout(timer)
    dueAt = Infinity
    asking?.abort()
    const own = (asking = new AbortController())
    const { signal } = own
    const late = setTimeout(() => own.abort(), within)
    const long = setTimeout(() => gate.unheard(), gatePatience)
    const asked = Date.now()
    const answer = await fetch(`${root}${watchPath}${channel}/state${stateQuery(waits)}`, {
      signal,
      headers: { [pageHeader]: pageId },
    }).catch(() => undefined)
    clearTimeout(long)
    if (answer?.status === 404) {
      if (last) {
        const { room: _, ...rest } = last
        // As one that is turned off: the rest of the show does not play on behind what is said instead.
        show({ ...rest, live: false, disabled: true })
      }
      body.dataset['tally'] = 'none'
      return page.replaceChildren(
        element('p', { class: 'nothing', role: 'alert' }, say(last ? 'channelRemoved' : 'noChannel')),
      )
    }
    const state = answer?.ok ? ((await answer.json().catch(() => undefined)) as WatchState | undefined) : undefined
    clearTimeout(late)
    if (own !== asking) return
    // Its connection was dead: the next one is new.
    if (signal.aborted && within < patience) return look(within + awakePatience)
    if (state) {
      age.answered(state, asked)
      show(state)
    } else {
      picture?.show(undefined)
      gate.unheard()
      unheard()
    }
    const isOff = mayWait() && state?.live === false && !state.disabled && state.gate === undefined
    if (last?.gate === 'full') lookIn((last.ahead === 0 ? nextEvery : turnEvery) + Math.random() * changedWithin)
    else if (isOff && !document.hidden) {
      // A service with too many waiting pages answers at once.
      const isTurnedDown = waits && Date.now() - asked < every - waitEvery
      lookIn(Math.max(asked + (isTurnedDown ? every : waitEvery) - Date.now(), waitAfter), true)
    } else lookIn(document.hidden ? hiddenEvery : state?.held === undefined ? every : heldEvery)
  }
  /** At the latest after `ms`: what changed meanwhile is not looked at later for another reason. */
  function lookIn(ms: number, waits = false): void {
    const at = performance.now() + ms
    if (at >= dueAt) return
    dueAt = at
    clearTimeout(timer)
    timer = setTimeout(() => inBackground(look(patience, waits)), ms)
  }
  if (part !== 'chat') sayGoodbye()
  onAwake(() => {
    picture?.awake()
    chat?.awake()
    inBackground(look(awakePatience))
  })
  inBackground(look())
}

main()
