import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { RecordedFile, RecordingPosition } from '../../../contract/rpc/index.ts'
import { useRequest } from '../../data/request.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'

/** A position in a recording. */
export interface Opening {
  readonly profileId: string
  readonly file: RecordedFile
  /** In s. */
  readonly seconds: number
}
interface Question {
  readonly profileId: string
  readonly roomid: number
  readonly line: { readonly msgid: string; readonly at: number }
}

/** How much of a file before the line is played, in s. */
const lastSeconds = 5

/** In s: near the end of a file before the line, otherwise 0. */
export const nearest = (file: RecordedFile, side: 'before' | 'after'): number =>
  side === 'after' || file.begin === null || file.end === null
    ? 0
    : Math.max(0, (file.end - file.begin) / 1000 - lastSeconds)

/** Finds a line in the recordings of the room's channel. */
export const useRecordingPosition = defineStore('roomSecond', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const recordings = useRecordings()
  const asked = shallowRef<Question | null>(null)
  const { value: answer, failure, busy: asking, run, drop } = useRequest<RecordingPosition>({ keepsFailure: true })
  const opening = shallowRef<Opening | null>(null)

  const close = (): void => {
    drop()
    asked.value = null
  }
  const open = (file: RecordedFile, seconds: number): void => {
    const profileId = asked.value?.profileId ?? companion.profile?.id
    if (profileId !== undefined) opening.value = { profileId, file, seconds }
    close()
  }
  const look = async (question: Question): Promise<void> => {
    await run(async (isLate) => {
      const found = await rpc.rooms.second({
        profileId: question.profileId,
        roomid: question.roomid,
        at: question.line.at,
      })
      // Play at once only if the user waited for the end of a slice; otherwise offer it.
      const isAwaited = answer.value === null || answer.value.found === 'running'
      if (!isLate() && found.found === 'file' && isAwaited && companion.extended) open(found.file, found.seconds)
      return found
    })
  }
  const again = (): void => {
    if (asked.value) inBackground(look(asked.value))
  }
  const lookAgain = (): void => {
    if (answer.value?.found === 'running' || answer.value?.found === 'none') again()
  }
  watch(() => recordings.files, lookAgain)
  // Files may have become ready while disconnected.
  watch(
    () => companion.line === 'open',
    (isOpen) => {
      if (isOpen) lookAgain()
    },
  )

  return {
    asked,
    answer,
    failure,
    asking,
    /** Taken by the player. */
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
