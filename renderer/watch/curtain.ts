import { element, icon } from './element.ts'
import { clock, say } from './words.ts'

/** What is said over the picture, with a clock while it is held and a large Play where the browser waits for a tap. */
export function createCurtain(play: () => void) {
  const cover = element('div', { class: 'cover', role: 'status' })
  const time = element('span', { class: 'held-time', role: 'timer' })
  const note = element('p', { class: 'cover-note' })
  const big = element('button', { type: 'button', class: 'big-play', 'aria-label': say('playNow') }, icon('play', 40))
  const held = element('p', { class: 'held-clock' }, icon('pause', 16), time)
  const node = element('div', { class: 'curtain' }, big, cover, held, note)
  // All of it, as the browser waits for no more than a tap.
  node.addEventListener('click', () => {
    if (!big.hidden) play()
  })
  return {
    node,
    cover,
    /** `offer` is what else stands there; `heldFor` is in s. */
    show(now: {
      readonly text: string
      readonly note?: string
      readonly heldFor?: number | undefined
      /** In s, until a delay has grown; 0 when it is about to have. */
      readonly goesOnIn?: number | undefined
      readonly refused: boolean
      readonly offer: boolean
    }): void {
      // Read to those who do not see it when it changes, and not with every second of the clock.
      if (cover.textContent !== now.text) cover.textContent = now.text
      cover.hidden = now.text === ''
      if (time.getAttribute('aria-label') !== now.text) time.setAttribute('aria-label', now.text)
      note.textContent = now.note ?? ''
      note.hidden = note.textContent === ''
      held.hidden = now.heldFor === undefined
      if (now.goesOnIn === 0) time.textContent = say('goesOnSoon')
      else if (now.goesOnIn !== undefined) time.textContent = say('goesOnIn', { time: clock(now.goesOnIn) })
      else if (now.heldFor !== undefined) time.textContent = say('heldFor', { time: clock(now.heldFor) })
      big.hidden = !now.refused
      node.dataset['kind'] = now.heldFor === undefined ? '' : 'held'
      node.hidden = now.text === '' && !now.refused && !now.offer
    },
  }
}
