import { inBackground } from '../background.ts'
import { watchPath, type WatchState } from '../../contract/watch.ts'
import { element, icon } from './element.ts'
import { browserNotifier, type Notifier } from './notify.ts'
import { channel, root } from './place.ts'
import { storedInTab, storeInTab } from './stored.ts'
import { language, say, span, timeOfDay } from './words.ts'

const day = 86_400_000
const soon = 60_000
const keptArmed = `sidestage-told-${channel}`

const locale = language === 'zh' ? 'zh-CN' : 'en-GB'
/** When it starts, in the zone of whoever reads it; times in ms. */
export const whenText = (next: number, timeZone?: string): string =>
  new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone !== undefined && { timeZone }),
  })
    .format(next)
    .replace(' at ', ', ')
/** How long until then, by the days of the calendar. */
export function untilText(next: number, now: number): string {
  const start = (time: number): number => new Date(time).setHours(0, 0, 0, 0)
  const days = Math.round((start(next) - start(now)) / day)
  if (next - now < soon) return say('nextSoon')
  if (days > 1) return say('nextDays', { number: days })
  if (days === 1 && next - now > day / 4) return say('nextDay')
  return say('nextIn', { time: span(Math.floor((next - now) / soon) * 60) })
}

/** What is said of a broadcast that is announced; later than its time when that was. */
const nextText = (next: number, now: number): string =>
  now - next < soon
    ? say('next', { when: whenText(next), until: untilText(next, now) })
    : say('nextLate', { time: timeOfDay(next) })

/** What a channel off the air says of its next broadcast, and a button that tells when one starts. */
export function createNextTime(notifier: Notifier = browserNotifier) {
  const name = element('p', { class: 'next-title' })
  const when = element('p', { class: 'next-when' })
  const tell = element('button', { type: 'button', class: 'tell' })
  const bell = element('button', { type: 'button', class: 'bell' })
  const calendar = element(
    'a',
    { class: 'button', href: `${root}${watchPath}${channel}/next.ics`, download: '' },
    icon('calendar', 16),
    say('calendar'),
  )
  const note = element('p', { class: 'next-note', role: 'status' })
  const actions = element('div', { class: 'next-actions' }, tell, calendar)
  const node = element('div', { class: 'next-time' }, name, when, actions, note)
  let state: WatchState | undefined
  // Over a reload too, which the person does not take for a refusal.
  let isArmed = storedInTab(keptArmed) !== '' && notifier.possible() && notifier.isAllowed()
  let isRefused = false

  const arm = (isNow: boolean): void => {
    isArmed = isNow
    storeInTab(keptArmed, isNow ? 'yes' : '')
  }
  const draw = (): void => {
    const isPossible = !isRefused && notifier.possible()
    const next = state?.live === true ? undefined : state?.next
    node.hidden = state === undefined || state.live || state.disabled
    name.textContent = state?.nextTitle ?? ''
    name.hidden = next === undefined || name.textContent === ''
    when.textContent = next === undefined || state === undefined ? '' : nextText(next, state.time)
    when.hidden = next === undefined
    // What has a time to come only; the service has no file of another.
    calendar.hidden = next === undefined || state === undefined || next <= state.time
    for (const [button, word, size] of [
      [tell, 'tellMe', 16],
      [bell, 'tellNext', 16],
    ] as const) {
      button.hidden = !isPossible
      button.setAttribute('aria-pressed', String(isArmed))
      const text = say(isArmed ? 'toldHere' : word)
      if (button.textContent === text) continue
      button.replaceChildren(icon(isArmed ? 'check' : 'bell', size), element('span', {}, text))
      button.title = text
    }
    tell.classList.toggle('primary', !isArmed)
    const said = isArmed ? say('toldNote') : !isPossible && !calendar.hidden ? say('toldNot') : ''
    if (note.textContent !== said) note.textContent = said
    note.hidden = said === ''
  }
  const toggle = async (): Promise<void> => {
    const isNow = !isArmed && (await notifier.ask().catch(() => false))
    isRefused = !isArmed && !isNow
    arm(isNow)
    draw()
  }
  for (const button of [tell, bell]) button.addEventListener('click', () => inBackground(toggle()))
  draw()
  return {
    node,
    /** For the head of the page while it is on air. */
    bell,
    /** The service does not answer: nothing is offered until it does, while what was asked for stays. */
    unheard(): void {
      actions.hidden = !isArmed
    },
    show(next: WatchState): void {
      const begins = state !== undefined && !state.live && next.live
      state = next
      actions.hidden = false
      if (begins && isArmed) {
        arm(false)
        notifier.tell(
          say('started', { title: next.title }),
          document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '',
        )
      }
      draw()
    },
  }
}
