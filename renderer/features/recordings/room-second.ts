import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { RecordedFile, RoomSecond } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'

/** A second of a recording that is to be played. */
export interface Opening {
  readonly profileId: string
  readonly file: RecordedFile
  /** From the begin of the file. */
  readonly seconds: number
}
interface Question {
  readonly profileId: string
  readonly roomid: number
  readonly line: { readonly msgid: string; readonly at: number }
}

/** How much of the nearest file before a line is played, in s. */
const lastSeconds = 5

/** The end of a file before a line, or the begin of one after it. */
export const nearest = (file: RecordedFile, side: 'before' | 'after'): number =>
  side === 'after' || file.begin === null || file.end === null
    ? 0
    : Math.max(0, (file.end - file.begin) / 1000 - lastSeconds)

/** The second of a line in the recordings of the room's channel: what is to be played, or why there is nothing. */
export const useRoomSecond = defineStore('roomSecond', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const recordings = useRecordings()
  const asked = shallowRef<Question | null>(null)
  const answer = shallowRef<RoomSecond | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const opening = shallowRef<Opening | null>(null)
  const asking = ref(false)
  let turn = 0

  const close = (): void => {
    turn += 1
    asked.value = null
    answer.value = null
    failure.value = null
    asking.value = false
  }
  const open = (file: RecordedFile, seconds: number): void => {
    const profileId = asked.value?.profileId ?? companion.profile?.id
    if (profileId !== undefined) opening.value = { profileId, file, seconds }
    close()
  }
  const look = async (question: Question): Promise<void> => {
    const mine = ++turn
    asking.value = true
    try {
      const found = await rpc.rooms.second({
        profileId: question.profileId,
        roomid: question.roomid,
        at: question.line.at,
      })
      if (mine !== turn) return
      // Who waits for the end of a slice wants to see it. Where it was said that there is nothing, what comes after all is offered and takes no screen.
      const isAwaited = answer.value === null || answer.value.found === 'running'
      if (found.found === 'file' && isAwaited && companion.local) return open(found.file, found.seconds)
      answer.value = found
      failure.value = null
    } catch (error) {
      if (mine === turn) failure.value = failureOf(error)
    } finally {
      if (mine === turn) asking.value = false
    }
  }
  const again = (): void => {
    if (asked.value) inBackground(look(asked.value))
  }
  const lookAgain = (): void => {
    if (answer.value?.found === 'running' || answer.value?.found === 'none') again()
  }
  watch(() => recordings.files, lookAgain)
  // Of files that were ready while the line was away nothing was told.
  watch(
    () => companion.line === 'open',
    (isOpen) => {
      if (isOpen) lookAgain()
    },
  )

  return {
    /** The line that is asked about, until that is closed. */
    asked,
    answer,
    failure,
    asking,
    /** What is to be played; whoever plays it takes it away. */
    opening,
    ask: (profileId: string, roomid: number, line: Question['line']): void => {
      close()
      asked.value = { profileId, roomid, line }
      again()
    },
    again,
    open,
    close,
  }
})
