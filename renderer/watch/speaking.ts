import { LinkFailure } from '../../contract/link/client-calls.ts'
import { isSeen, lineText } from '../../contract/seen-text.ts'
import { later } from '../data/timer.ts'
import { createUnsent } from '../sent-text.ts'
import type { createChatElements } from './chat-elements.ts'
import type { createNote } from './chat-note.ts'
import type { RoomLine } from './lines.ts'
import { spokenLine, type Person } from './people.ts'
import type { Visit } from './visit.ts'
import { say } from './words.ts'

/** In ms; a line that is not answered by then is said to be on its way. */
const answersWithin = 1_000
/** Code of a line that came too early. */
const tooMany = 416

/** Sends what is written, and says below the log what has become of it. */
export function createSpeaking(
  { form, input }: Pick<ReturnType<typeof createChatElements>, 'form' | 'input'>,
  note: ReturnType<typeof createNote>,
  room: {
    /** Undefined while nothing can be said. */
    visit(): Visit | undefined
    /** In s between two lines; 0 without slow mode. */
    slow(): number
    said(line: RoomLine, isHeld: boolean): void
    /** By which name, and where. */
    by(person: Person): { readonly nick: string; readonly roomid: number }
    draw(): void
  },
) {
  const putBack = createUnsent()
  let spokeAt = -Infinity
  /** In ms: nothing is sent before, as it would be refused again. */
  let waitsUntil = 0
  let stopCounting = (): void => undefined

  const waiting = (): string => {
    const seconds = room.slow() > 0 ? Math.ceil((waitsUntil - Date.now()) / 1000) : 0
    return seconds > 0 ? say('tooFastFor', { seconds }) : ''
  }
  const count = (): void => {
    stopCounting()
    if (waiting() === '') return
    stopCounting = later(1000, () => {
      room.draw()
      count()
    })
  }
  const tooSoon = (): void => {
    const slow = room.slow()
    if (slow === 0) return note.tell(say('tooFast'))
    const passed = (Date.now() - spokeAt) / 1000
    waitsUntil = Date.now() + Math.ceil(passed < slow ? slow - passed : slow) * 1000
    count()
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value.trim()
    const visit = room.visit()
    if (text === '' || !visit || waiting() !== '') return
    if (!isSeen(lineText(text))) {
      note.tell(say('unseen'))
      return room.draw()
    }
    input.value = ''
    note.tell('')
    room.draw()
    const callOff = later(answersWithin, () => {
      note.tell(say('sending'))
      room.draw()
    })
    const answered = (): void => {
      callOff()
      note.forget(say('sending'))
    }
    visit.send(text).then(
      (sent) => {
        answered()
        spokeAt = Date.now()
        room.draw()
        const { nick, roomid } = room.by(visit.person)
        room.said(spokenLine(visit.person, nick, roomid, sent, text), sent.held === true)
      },
      (failure: unknown) => {
        answered()
        // An unsent line comes back, before what was typed since.
        input.value = putBack(input.value, text)
        if (failure instanceof LinkFailure && failure.code === tooMany) tooSoon()
        else note.tell(say('notSent'))
        room.draw()
      },
    )
  })
  return {
    /** How long to wait in slow mode, in words; empty if a line may be sent. */
    waiting,
    /** Another slow mode, or another person: how long one had to wait is not so any more. */
    mayGoOn(): void {
      waitsUntil = 0
      stopCounting()
    },
  }
}
