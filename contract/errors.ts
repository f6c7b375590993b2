/** A result code: its meaning for developers, and what a person reads and does next. */
export interface ErrorEntry {
  /** Meaning in the specification, for developers. */
  readonly meaning: string
  readonly sentence: { readonly en: string; readonly zh: string }
  readonly next: { readonly en: string; readonly zh: string }
}

const entry = (meaning: string, en: string, nextEn: string, zh: string, nextZh: string): ErrorEntry => ({
  meaning,
  sentence: { en, zh },
  next: { en: nextEn, zh: nextZh },
})

/** Result codes of all three documents (1-live Errors, 2-messaging Errors, 3-chatrooms Endpoints). */
export const errorTable = {
  200: entry('success', 'Done.', '', '已完成。', ''),
  403: entry(
    'no permission',
    'This account may not do that.',
    'Ask the host, or choose another person.',
    '该账号无权执行此操作。',
    '请联系主播，或选择其他人。',
  ),
  404: entry(
    'does not exist',
    'This does not exist any more.',
    'Refresh and look again.',
    '对象已不存在。',
    '请刷新后再看。',
  ),
  409: entry(
    'user authentication failed',
    'The service did not accept the signature.',
    "Check this computer's clock, then the AppSecret.",
    '服务未接受签名。',
    '请先检查本机时间，再检查 AppSecret。',
  ),
  414: entry(
    'parameter or authentication error',
    'The service did not accept a value.',
    'Check what was entered; Details has what the service says of it.',
    '服务未接受某个参数。',
    '请检查填写的内容；服务的说明见“详情”。',
  ),
  416: entry(
    'rate limit exceeded',
    'Too many calls; nothing was changed.',
    'Try again in 10 s.',
    '调用过于频繁，未做任何更改。',
    '请 10 秒后再试。',
  ),
  417: entry(
    'already in that state',
    'It is in that state already.',
    'Refresh to see its present state.',
    '已经处于该状态。',
    '请刷新查看当前状态。',
  ),
  419: entry(
    'quantity over a limit',
    'A limit on the number of these is reached.',
    'Remove some, or raise the limit in the service settings.',
    '数量已达上限。',
    '请移除一些，或在服务设置中提高上限。',
  ),
  431: entry(
    'duplicate request',
    'The same signed request arrived twice.',
    'Send it again; it is signed afresh.',
    '同一个签名请求重复到达。',
    '请重新发送，会重新签名。',
  ),
  500: entry(
    'internal error of the messaging service',
    'The messaging service had a fault; nothing was changed.',
    'Try again, then look at the log.',
    '消息服务内部出错，未做任何更改。',
    '请重试，若仍失败请查看日志。',
  ),
  501: entry(
    'internal error of the live service',
    'The live service had a fault; nothing was changed.',
    'Try again, then look at the log.',
    '直播服务内部出错，未做任何更改。',
    '请重试，若仍失败请查看日志。',
  ),
  514: entry(
    'service unavailable',
    'The service cannot give an address now.',
    'Try again in a minute.',
    '服务暂时无法提供地址。',
    '请一分钟后再试。',
  ),
  602: entry(
    'query failed',
    'The service could not answer this query.',
    'Check the value, then refresh.',
    '查询失败。',
    '请检查参数后刷新。',
  ),
  603: entry(
    'channel deletion failed',
    'The channel could not be deleted; it may be gone already.',
    'Refresh the list.',
    '频道删除失败，可能已经不存在。',
    '请刷新列表。',
  ),
  604: entry(
    'channel creation failed',
    'The channel could not be created.',
    'Use a name of letters, digits, Chinese characters and underscore, at most 64.',
    '频道创建失败。',
    '名称请用中文、字母、数字和下划线，最多 64 个字符。',
  ),
  605: entry(
    'channel update failed',
    'The channel could not be changed; it may be gone.',
    'Refresh the list and check the name.',
    '频道修改失败，可能已经不存在。',
    '请刷新列表并检查名称。',
  ),
  607: entry(
    'user information does not exist',
    'The owner of this application is not known to the service.',
    'Check the AppKey in Settings, Profiles.',
    '服务中没有该应用的所有者。',
    '请在“设置 › 配置”中检查 AppKey。',
  ),
  609: entry('channel id empty', 'No channel was named.', 'Choose a channel first.', '未指定频道。', '请先选择频道。'),
  610: entry('channel name empty', 'The channel has no name.', 'Enter a name.', '频道名称为空。', '请填写名称。'),
  611: entry(
    'channel name already exists',
    'A channel with this name exists.',
    'Choose another name or open that channel.',
    '已有同名频道。',
    '请换一个名称，或打开该频道。',
  ),
  612: entry(
    'channel type invalid',
    'This type of channel is not offered.',
    'Use type 0 (rtmp).',
    '不支持该频道类型。',
    '请使用类型 0（rtmp）。',
  ),
  613: entry(
    'CheckSum empty',
    'The request was not signed.',
    'Open Settings, Profiles and enter the AppSecret again.',
    '请求没有签名。',
    '请在“设置 › 配置”中重新填写 AppSecret。',
  ),
  614: entry(
    'AppKey empty',
    'The request named no AppKey.',
    'Open Settings, Profiles and enter the AppKey again.',
    '请求没有 AppKey。',
    '请在“设置 › 配置”中重新填写 AppKey。',
  ),
  615: entry(
    'CurTime empty',
    'The request carried no time.',
    'Open Settings, Profiles and enter the AppSecret again.',
    '请求没有时间戳。',
    '请在“设置 › 配置”中重新填写 AppSecret。',
  ),
  617: entry(
    'channel does not belong to the current user',
    'This channel belongs to another application.',
    'Choose the profile that owns it.',
    '该频道属于其他应用。',
    '请选择拥有它的配置。',
  ),
  618: entry(
    'queried data or channel does not exist',
    'What was asked for no longer exists.',
    'Refresh the list.',
    '所请求的内容已不存在。',
    '请刷新列表。',
  ),
  629: entry(
    'channel disable failed',
    'The channel could not be disabled; it may be disabled already.',
    'Refresh and look at its tally.',
    '频道停用失败，可能已经停用。',
    '请刷新后查看状态。',
  ),
  630: entry(
    'channel resume failed',
    'The channel could not be resumed; it may be usable already.',
    'Refresh and look at its tally.',
    '频道恢复失败，可能已经可用。',
    '请刷新后查看状态。',
  ),
  631: entry(
    'request parameter error',
    'A value was not acceptable.',
    'Check what was entered; Details has what the service says of it.',
    '参数不符合要求。',
    '请检查填写的内容；服务的说明见“详情”。',
  ),
  635: entry(
    'service not activated',
    'Live streaming is switched off for this application.',
    'Switch it on in the service settings.',
    '该应用未开通直播。',
    '请在服务设置中开通。',
  ),
  638: entry(
    'call frequency exceeded',
    'Ten merges were started within a minute.',
    'Try again in a minute.',
    '一分钟内已发起 10 次合并。',
    '请一分钟后再试。',
  ),
  639: entry(
    'task count has reached the limit',
    'Three merges are running.',
    'Start this one when the first has finished.',
    '已有 3 个合并任务在运行。',
    '请等第一个完成后再开始。',
  ),
  723: entry(
    'recording requires the on-demand video service',
    'Recording is switched off for this application.',
    'Switch on-demand video on in the service settings.',
    '该应用未开通点播，无法录制。',
    '请在服务设置中开通点播。',
  ),
  801: entry(
    'team member count reached its limit',
    'The team is full; nobody was added.',
    'Remove members, or raise the limit.',
    '群成员已满，未添加任何人。',
    '请移除成员或提高上限。',
  ),
  806: entry(
    'number of teams reached its limit',
    'This owner has too many teams.',
    'Dissolve one, or choose another owner.',
    '该群主的群数量已达上限。',
    '请解散一个群，或换一位群主。',
  ),
  13002: entry(
    'room closed or in a wrong state',
    'The room is closed.',
    'Open it to send lines.',
    '聊天室已关闭。',
    '开启后才能发言。',
  ),
  13003: entry(
    "account is on the room's blacklist",
    'This account is blacklisted from the room.',
    'Remove it from the blacklist first.',
    '该账号在聊天室黑名单中。',
    '请先将其移出黑名单。',
  ),
} as const satisfies Record<number, ErrorEntry>

/** A code that the service may answer. */
export type Code = keyof typeof errorTable

/** Whether a number is a known result code. */
export const isCode = (value: number): value is Code => Object.hasOwn(errorTable, value)
