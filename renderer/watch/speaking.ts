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
  let tooSoon = ''

  const tellTooSoon = (): void => {
    const slow = room.slow()
    const passed = (Date.now() - spokeAt) / 1000
    const seconds = Math.ceil(passed < slow ? slow - passed : slow)
    tooSoon = seconds > 0 ? say('tooFastFor', { seconds }) : say('tooFast')
    note.tell(tooSoon, seconds > 0 ? seconds * 1000 : undefined)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value.trim()
    const visit = room.visit()
    if (text === '' || !visit) return
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
        if (failure instanceof LinkFailure && failure.code === tooMany) tellTooSoon()
        else note.tell(say('notSent'))
        room.draw()
      },
    )
  })
  return {
    /** The slow mode is another one: how long one had to wait is not so any more. */
    paceChanged: (): void => note.forget(tooSoon),
  }
}
