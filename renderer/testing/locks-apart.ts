/** Locks of the browser under names of their own: pages of other tests hold theirs at the same time. */
export function locksApart(mark: string): LockManager {
  const { locks } = navigator
  return {
    request: (name: string, options: LockOptions, granted: LockGrantedCallback<unknown>) =>
      locks.request(`${mark} ${name}`, options, granted),
  } as LockManager
}
