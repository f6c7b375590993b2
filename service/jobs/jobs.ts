/** Work that one service does for all that share the database, as on rows. What lies on a computer is not of these. */
export interface Jobs {
  /**
   * Runs work, unless another service runs it now or has done so within `every` ms. Resolves once it has ended, here or
   * not at all; rejects as the work does.
   */
  run(name: string, every: number, work: () => Promise<void>): Promise<void>
}

/** For a service that has the database alone: whatever is asked for runs. */
export const ownJobs: Jobs = { run: (_name, _every, work) => work() }
