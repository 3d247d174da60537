-- Ends workers whose process ends. Asked: workers, what has begun. Answers 1 when nothing is left of them.
note_begun(input[2])
local is_done = 1
for _, worker in ipairs(input[1]) do
    if take_from(worker, false) then
        sync_all()
        forget_worker(worker)
    else
        is_done = 0
    end
end
settle()
return answer(is_done)
