import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { wordsByLanguage } from './renderer/words-plugin.ts'

export default defineConfig({
  test: {
    // Longer than any condition is waited for, so that a failure names the condition.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Most tests wait for sockets, encoders and disks, so even two cores take four files at a time.
    maxWorkers: Math.max(4, Math.floor(availableParallelism() / 2)),
    projects: [
      {
        extends: true,
        plugins: [wordsByLanguage()],
        test: {
          name: 'node',
          include: ['{contract,platform,renderer,scripts}/**/*.test.ts'],
          exclude: ['renderer/**/*.browser.test.ts'],
          pool: 'forks',
          // Nothing here keeps state of its process: files share processes, and modules are read once in each.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['{browser,companion,electron,service}/**/*.test.ts'],
          setupFiles: ['service/testing/statement-record.ts', 'service/testing/drop-databases.ts'],
          pool: 'forks',
        },
      },
      'renderer/testing/vitest.config.ts',
    ],
  },
})
