import type { AppState } from './app-state.ts'

/** Whether something is on air, of one profile or of any. */
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

/** Which listener of the app has a port; undefined for none. */
export function portHolder(state: AppState, port: number): 'callbacks' | 'copies' | 'moderators' | undefined {
  const has = (listener: { readonly phase: string; readonly port: number }): boolean =>
    listener.phase === 'listening' && listener.port === port
  if (state.newest('receiver').some(({ receiver }) => has(receiver))) return 'callbacks'
  if (state.newest('copyReceiver').some(({ receiver }) => has(receiver))) return 'copies'
  return state.newest('seats').some(({ board }) => has(board.listener)) ? 'moderators' : undefined
}

/** Whether something goes on that a new version of the app would break off: a broadcast, a recording, or data that are moved. */
export const isBusy = (state: AppState): boolean =>
  isOnAir(state) || isRecording(state) || state.newest('computer').some(({ computer }) => computer.move !== null)
