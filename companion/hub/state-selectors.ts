import type { AppState } from './app-state.ts'

/** Whether anything is on air, of one profile or of any. */
export const isOnAir = (state: AppState, profileId?: string): boolean =>
  state
    .newest('tallies')
    .some(
      (event) =>
        (profileId === undefined || event.profileId === profileId) &&
        event.tallies.some(({ status }) => status === 1 || status === 3),
    )

/** Whether a channel is recorded. */
export const isRecording = (state: AppState): boolean =>
  state.newest('recording').some(({ recording }) => recording.state === 'recording')

/** Which of the app's listeners has a port. */
export function portHolder(state: AppState, port: number): 'callbacks' | 'copies' | 'moderators' | undefined {
  const has = (listener: { readonly phase: string; readonly port: number }): boolean =>
    listener.phase === 'listening' && listener.port === port
  if (state.newest('receiver').some(({ receiver }) => has(receiver))) return 'callbacks'
  if (state.newest('copyReceiver').some(({ receiver }) => has(receiver))) return 'copies'
  return state.newest('seats').some(({ board }) => has(board.listener)) ? 'moderators' : undefined
}

/** Whether an update would interrupt a broadcast, a recording or a move of the data. */
export const isBusy = (state: AppState): boolean =>
  isOnAir(state) || isRecording(state) || state.newest('computer').some(({ computer }) => computer.move !== null)
