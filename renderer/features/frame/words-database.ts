import type { Words } from '../../format/languages.ts'

/** Words of a damaged database. */
export const databaseWords = {
  database: {
    kind: {
      missing: {
        en: 'The main database was there before and is gone. The service does not start without it.',
        zh: '主数据库原来在，现在不见了。没有它服务无法启动。',
      },
      damaged: {
        en: 'The main database is damaged. The service does not start with it.',
        zh: '主数据库已损坏。服务无法用它启动。',
      },
      newer: {
        en: 'A newer Sidestage made the main database. This one does not start with it.',
        zh: '主数据库由更新版本的 Sidestage 写成。此版本无法用它启动。',
      },
      notAFile: {
        en: 'In the place of the main database is something that is not a file. The service does not start.',
        zh: '主数据库的位置上不是文件。服务无法启动。',
      },
      unreadable: {
        en: 'The system does not let Sidestage read the main database. The service does not start.',
        zh: '系统不允许 Sidestage 读取主数据库。服务无法启动。',
      },
    },
    next: {
      missing: {
        en: 'Put the file back and try again, or restore a copy. What came after the copy is not in it.',
        zh: '请放回文件后重试，或恢复备份。备份之后的内容不在其中。',
      },
      damaged: {
        en: 'Nothing was changed. Restore a copy: what came after it is not in it, and the damaged database is kept.',
        zh: '未做任何更改。请恢复备份：备份之后的内容不在其中，损坏的数据库会保留。',
      },
      newer: {
        en: 'Update Sidestage and try again. A copy may be older: what came after it is not in it, and the newer database is kept.',
        zh: '请更新 Sidestage 后重试。备份可能较旧：之后的内容不在其中，较新的数据库会保留。',
      },
      notAFile: {
        en: 'Put the file back and try again, or restore a copy. What came after the copy is not in it.',
        zh: '请放回文件后重试，或恢复备份。备份之后的内容不在其中。',
      },
      unreadable: {
        en: 'Change the rights of the file and try again, or restore a copy. What came after the copy is not in it.',
        zh: '请修改文件权限后重试，或恢复备份。备份之后的内容不在其中。',
      },
    },
    noCopy: {
      en: 'There is no copy of it. Put a good file in its place and try again, or begin anew. What is there now is kept.',
      zh: '没有备份。请放入完好的文件后重试，或重新开始。现有内容会保留。',
    },
    restore: { en: 'Restore the copy of {date} ({size})', zh: '恢复 {date} 的备份（{size}）' },
    restoring: { en: 'The copy of {date} is being restored.', zh: '正在恢复 {date} 的备份。' },
    beginning: { en: 'A new database is being begun.', zh: '正在新建数据库。' },
    wait: { en: 'The service starts when that is done.', zh: '完成后服务会启动。' },
    copyFailed: { en: 'The copy of {date} was not put in its place.', zh: '{date} 的备份未能恢复。' },
    anewFailed: { en: 'A new database was not begun.', zh: '未能新建数据库。' },
    anew: { en: 'Begin anew…', zh: '重新开始…' },
    anewTitle: { en: 'Begin with an empty database?', zh: '用空数据库重新开始？' },
    anewBody: {
      en: 'Channels, rooms, accounts and messages are not in it. What is there now is set aside for 30 days in the folder quarantine of the data folder. Recordings and uploaded files stay on the disk.',
      zh: '其中没有频道、聊天室、账号和消息。现有内容会隔离到数据文件夹的 quarantine 中，保留 30 天。录像和上传的文件仍在磁盘上。',
    },
    anewCopies: {
      en: 'There are copies of the database. Restoring one keeps more.',
      zh: '数据库有备份。恢复备份能保留更多内容。',
    },
    anewNow: { en: 'Begin anew', zh: '重新开始' },
  },
} satisfies Words
