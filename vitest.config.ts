import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Test files that replace modules, change what belongs to their process, or count what it holds. */
const apart = [
  '{browser,companion,electron}/**/*.test.ts',
  'service/{changed-words,few-descriptors,root-steps}.test.ts',
]

export default defineConfig({
  test: {
    // Longer than any condition is waited for, so that a failure names the condition; only a failing test waits this long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Most tests wait for sockets, encoders and disks, so even two cores take four files at a time.
    maxWorkers: Math.max(4, Math.floor(availableParallelism() / 2)),
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['{contract,platform,service,scripts,renderer}/**/*.test.ts'],
          exclude: ['renderer/**/*.browser.test.ts', ...apart],
          setupFiles: ['service/testing/statement-record.ts'],
          pool: 'forks',
          // Nothing of these folders keeps state of the process, so files share processes, and modules are read once in each.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: apart,
          setupFiles: ['service/testing/statement-record.ts'],
          pool: 'forks',
        },
      },
      'renderer/testing/vitest.config.ts',
    ],
  },
})
